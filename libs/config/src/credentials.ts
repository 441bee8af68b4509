import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from './home.js';
import { readIfThere } from './read-if-there.js';

/** Tokens by server address (a URL, or the absolute path of a socket). */
type Credentials = Record<string, { token: string }>;

async function read(file: string): Promise<Credentials> {
  return JSON.parse((await readIfThere(file)) ?? '{}') as Credentials;
}

export async function readToken(home: Home, server: string): Promise<string | undefined> {
  return (await read(home.credentials))[server]?.token;
}

/** Keeps a token for a server, readable by this user only. */
export async function saveToken(home: Home, server: string, token: string): Promise<void> {
  const credentials = { ...(await read(home.credentials)), [server]: { token } };
  await mkdir(path.dirname(home.credentials), { recursive: true, mode: 0o700 });
  const temporary = `${home.credentials}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, home.credentials);
}
