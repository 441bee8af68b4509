const INHERITED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TERM', 'COLORTERM'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'SSH_AUTH_SOCK', 'JAVA_HOME', 'GOPATH', 'VIRTUAL_ENV'],
]);
const INHERITED_FAMILIES = ['LC_', 'XDG_'];

/**
 * What local commands inherit from the process's own environment: what tools need to find their way on this host, and
 * nothing else, because the rest may hold the secrets of the service.
 */
export function hostEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        (INHERITED.has(entry[0]) || INHERITED_FAMILIES.some((family) => entry[0].startsWith(family))),
    ),
  );
}
