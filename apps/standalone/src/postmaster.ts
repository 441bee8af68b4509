import { readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A PostgreSQL that runs on a data directory, as it recorded itself there. */
export interface Postmaster {
  pid: number;
  socketDirectory: string;
}

/** The server that runs on this data directory; undefined when none does, whatever an earlier one left recorded. */
export async function postmasterOf(dataDirectory: string): Promise<Postmaster | undefined> {
  const record = await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const [first, , , , socketDirectory = ''] = record.split('\n');
  const pid = Number(first);
  return pid > 0 && (await worksIn(dataDirectory, pid)) ? { pid, socketDirectory } : undefined;
}

export function tryKill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A server works in its data directory; a later process with its pid does not. Only Linux tells where it works. */
async function worksIn(dataDirectory: string, pid: number): Promise<boolean> {
  if (!tryKill(pid, 0)) return false;
  if (process.platform !== 'linux') return true;
  const [place, data] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => undefined),
    realpath(dataDirectory),
  ]);
  return place === data;
}
