interface Served {
  address: string;
  url: string;
  /** The token of the local client, when it was made just now. */
  token: string | null;
  /** The port that was wished for, when somebody else has it. */
  portTaken: number | null;
}

/** What a server says once it serves: where it is, and what its commands may do. */
export function greeting({ address, url, token, portTaken }: Served): string {
  const taken = `  port ${portTaken} is taken: this one was chosen; RUNYARD_WEB_PORT, or server.web.port in settings.toml, sets another`;
  const lines = [
    'Runyard is ready.',
    `  local client  ${address}`,
    `  API           ${url}`,
    ...(portTaken === null ? [] : [taken]),
    ...(token === null ? [] : [`  token         ${token}  (shown once; saved for this client)`]),
    'Commands of runs execute as you, on this machine. Ctrl-C stops everything.',
  ];
  return `${lines.join('\n')}\n`;
}
