import path from 'node:path';
import { readServerRecord, readToken, type Home } from '#libs/config';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

/** The server a command talks to, and the token it shows there. */
export interface Target {
  /** A URL without a slash at its end, or the absolute path of a socket. */
  server: string;
  token?: string;
}

/** What was said about the target on the command line. */
export interface TargetOptions {
  server?: string;
  token?: string;
}

/**
 * Flag, then variable, then what the home knows: the server that serves it now, else its socket. A saved token belongs
 * to one address; another server never gets it.
 */
export async function targetOf(home: Home, options: TargetOptions, env: NodeJS.ProcessEnv): Promise<Target> {
  const named = options.server ?? env.RUNYARD_SERVER;
  const server = named === undefined ? ((await readServerRecord(home))?.address ?? home.socket) : serverAddress(named);
  const token = options.token ?? env.RUNYARD_TOKEN ?? (await readToken(home, server));
  return { server, ...(token !== undefined && { token }) };
}

/** The one spelling of an address, under which its token is kept. */
export function serverAddress(text: string): string {
  if (path.isAbsolute(text)) return path.normalize(text);
  const url = URL.parse(text);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return text.replace(/\/+$/, '');
  throw new CliError(
    `"${text}" is no server address.`,
    exitCodes.misuse,
    'Give a URL or the absolute path of a socket.',
  );
}
