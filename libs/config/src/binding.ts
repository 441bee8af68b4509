import net from 'node:net';
import { ConfigError } from './errors.js';

/** Where a server listens. */
export type BindAddress = { kind: 'unix'; path: string } | { kind: 'tcp'; host: string; port: number };

const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const DEFAULT_PORT = 3000;

/** Where operators look in: `IP:port` or `[IPv6]:port`. Scrapers and probes come over TCP, and there is no usual port. */
export function parseOperationsBinding(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (net.isIP(host) !== 0 && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new ConfigError(`RUNYARD_OPERATIONS_BIND is "${text}"; give IP:port, like 127.0.0.1:9464.`);
}

/** `--bind`: a path (it holds a `/`), `IP:port`, `[IPv6]:port`, or an IP, which gets the default port. */
export function parseBinding(text: string): BindAddress {
  if (text.includes('/')) {
    if (Buffer.byteLength(text) > MAX_SOCKET_PATH_BYTES) {
      throw new ConfigError(`--bind: the socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${text}`);
    }
    return { kind: 'unix', path: text };
  }
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? text;
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (net.isIP(host) === 0 || port > 65_535) {
    throw new ConfigError(`--bind: "${text}" is no address; give a socket path with a "/", an IP, or IP:port.`);
  }
  return { kind: 'tcp', host, port };
}

/** How a client names this server: a URL, or the absolute path of a socket. */
export function addressOf(binding: BindAddress): string {
  if (binding.kind === 'unix') return binding.path;
  return `http://${net.isIPv6(binding.host) ? `[${binding.host}]` : binding.host}:${binding.port}`;
}
