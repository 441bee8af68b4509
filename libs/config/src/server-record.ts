import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from './home.js';
import { readIfThere } from './read-if-there.js';

/** Which process serves a home, and where it listens. */
export interface ServerRecord {
  pid: number;
  /** What a local client connects to: a socket path or a URL. */
  address: string;
  /** What a browser opens. */
  url: string;
  /** How to look into the embedded PostgreSQL; null when the database is the user's own. */
  database_url: string | null;
  started_at: string;
}

/** The record of a server that is alive; undefined when there is none, or when it died without removing it. */
export async function readServerRecord(home: Home): Promise<ServerRecord | undefined> {
  const text = await readIfThere(home.serverRecord);
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as ServerRecord;
  return isAlive(record.pid) ? record : undefined;
}

/** Readers see the whole record or none; it names the password of the embedded database, so it is its owner's alone. */
export async function writeServerRecord(home: Home, record: ServerRecord): Promise<void> {
  await mkdir(path.dirname(home.serverRecord), { recursive: true, mode: 0o700 });
  const temporary = `${home.serverRecord}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, home.serverRecord);
}

export async function removeServerRecord(home: Home): Promise<void> {
  await rm(home.serverRecord, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
