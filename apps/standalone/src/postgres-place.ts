import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { RunyardError } from '#libs/kernel';
import type { PostgresBinaries } from './postgres-binaries.js';
import { makePrivate, type PostgresOwner } from './private-folder.js';

const run = promisify(execFile);
const ROOT_STORAGE = '/var/lib/runyard';

/** Where the embedded PostgreSQL lives, and as whom it runs. */
export interface PostgresPlace {
  binaries: PostgresBinaries;
  dataDirectory: string;
  /** Set when this process is root, as which PostgreSQL refuses to run. */
  owner: PostgresOwner | undefined;
}

class NoPostgresUserError extends RunyardError {
  readonly kind = 'unavailable';
}

/**
 * Chooses the place. For an ordinary user everything lies in the home. Under root PostgreSQL runs as the system user
 * `postgres` (made when missing); what that user cannot reach inside the home is kept under /var/lib/runyard instead.
 */
export async function postgresPlace(dataDirectory: string, binaries: PostgresBinaries): Promise<PostgresPlace> {
  const owner = process.getuid?.() === 0 ? await postgresUser() : undefined;
  const reachable = owner === undefined || (await isReachable(path.dirname(dataDirectory)));
  const data = reachable ? dataDirectory : path.join(await rootStorage(), digestOf(dataDirectory), 'postgres');
  await makePassable(path.dirname(data), owner ? 0o711 : 0o700);
  await makePrivate(data, owner);
  return { binaries: owner ? await reachableBinaries(binaries) : binaries, dataDirectory: data, owner };
}

function digestOf(dataDirectory: string): string {
  return createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12);
}

/** Where the system user finds what it cannot reach in the home; only root writes there. */
async function rootStorage(): Promise<string> {
  await makePassable(ROOT_STORAGE, 0o711);
  return ROOT_STORAGE;
}

/** One that is there keeps its mode. */
async function makePassable(directory: string, mode: number): Promise<void> {
  if ((await mkdir(directory, { recursive: true, mode })) !== undefined) await chmod(directory, mode);
}

async function postgresUser(): Promise<PostgresOwner> {
  const find = async (): Promise<PostgresOwner> => {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  };
  try {
    return await find();
  } catch {
    try {
      await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
      return await find();
    } catch (cause) {
      const message =
        'PostgreSQL does not run as root, and the system user "postgres" could not be made. Start Runyard as an ordinary user, or set DATABASE_URL.';
      throw new NoPostgresUserError(message, { cause });
    }
  }
}

/** The programs where every user can run them: as installed, or a copy when the project lies in a private folder. */
async function reachableBinaries(binaries: PostgresBinaries): Promise<PostgresBinaries> {
  const bin = path.dirname(binaries.postgres);
  if (await isReachable(bin)) return binaries;
  const native = path.dirname(bin);
  const { size, mtimeMs } = await stat(binaries.postgres);
  const copy = path.join(await rootStorage(), `programs-${size}-${Math.round(mtimeMs)}`);
  await cp(native, copy, { recursive: true, force: false, verbatimSymlinks: true });
  return { initdb: path.join(copy, 'bin', 'initdb'), postgres: path.join(copy, 'bin', 'postgres') };
}

/** Whether everybody may pass through all folders down to this one. Folders that do not exist yet are ours to make. */
async function isReachable(directory: string): Promise<boolean> {
  const parts = path.resolve(directory).split(path.sep);
  for (let depth = 1; depth <= parts.length; depth++) {
    const found = await stat(parts.slice(0, depth).join(path.sep) || path.sep).catch(() => undefined);
    if (found && (found.mode & 0o001) === 0) return false;
  }
  return true;
}
