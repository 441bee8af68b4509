import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readServerRecord, type Home, type ServerRecord } from '#libs/config';
import { messageOf, RunyardError } from '#libs/kernel';

export class HomeInUseError extends RunyardError {
  override readonly code = 'home_in_use';
  readonly kind = 'conflict';
}

export class HomeUnusableError extends RunyardError {
  override readonly code = 'home_unusable';
  readonly kind = 'unavailable';
}

/** Servers that start at the same moment see each other and step back; after so many rounds the other one has it. */
const MAX_ROUNDS = 10;

/**
 * Makes the home and takes it for this process; refuses one that another living server has, or that cannot be written
 * to. A claim is written down first and others are looked for afterwards, so of two servers at least one sees the other.
 * The claim of a server that was killed counts for nothing.
 */
export async function claimHome(home: Home): Promise<void> {
  for (let round = 1; ; round++) {
    await writeClaim(home);
    const others = await otherClaims(home);
    const living = others.find(({ lives }) => lives);
    if (!living) {
      await Promise.all(others.map(({ file }) => rm(file, { force: true })));
      return;
    }
    await releaseHome(home);
    const record = await readServerRecord(home);
    if (round === MAX_ROUNDS || record?.pid === living.pid) throw inUse(home, living.pid, record);
    await sleep(50 + Math.random() * 100);
  }
}

/** Leaves the home to the next server. */
export async function releaseHome(home: Home): Promise<void> {
  await rm(claimOf(home, process.pid), { force: true });
}

async function writeClaim(home: Home): Promise<void> {
  const file = claimOf(home, process.pid);
  try {
    await mkdir(home.directory, { recursive: true, mode: 0o700 });
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await beginOf(process.pid));
  } catch (cause) {
    const message = `The state directory ${home.directory} cannot be written to: ${messageOf(cause)}`;
    throw new HomeUnusableError(message, { cause });
  }
}

async function otherClaims(home: Home): Promise<{ pid: number; file: string; lives: boolean }[]> {
  const pids = (await readdir(path.dirname(claimOf(home, 0)))).map(Number).filter((pid) => pid !== process.pid);
  return Promise.all(
    pids.map(async (pid) => {
      const file = claimOf(home, pid);
      const began = await readFile(file, 'utf8').catch(() => undefined);
      return { pid, file, lives: began !== undefined && (await isAlive(pid, began)) };
    }),
  );
}

function inUse(home: Home, pid: number, record: ServerRecord | undefined): HomeInUseError {
  const place = record?.pid === pid ? `, ${record.address}` : '';
  return new HomeInUseError(
    `A server (process ${pid}${place}) already serves ${home.directory}. Stop it with "runyard server stop", or set RUNYARD_HOME.`,
  );
}

function claimOf(home: Home, pid: number): string {
  return path.join(path.dirname(home.serverRecord), 'servers', String(pid));
}

/** When a process began, in the system's own count, so that a later one with its pid is not taken for it. Linux only. */
async function beginOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** A claim that is only just being written is empty, and counts. */
async function isAlive(pid: number, began: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return began === '' || began === (await beginOf(pid));
}
