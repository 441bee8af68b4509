import { randomUUID } from 'node:crypto';
import { access, lchown, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { PostgresPlace } from './postgres-place.js';

/** Between the name of the data directory and something of its own: what an initdb works in until it is done. */
const UNFINISHED = '.unfinished-';
/** PostgreSQL numbers what users make from here on; what initdb makes is below. */
export const FIRST_USER_OID = 16_384;

/**
 * Whether a data directory holds a cluster. What an initdb left that was stopped in the middle is none: no server was
 * ever started on it, and it has no database but initdb's own, so nothing is lost with it.
 */
export async function holdsCluster(dataDirectory: string): Promise<boolean> {
  const has = (name: string): Promise<boolean> =>
    access(path.join(dataDirectory, name)).then(
      () => true,
      () => false,
    );
  if (!(await has('PG_VERSION'))) return false;
  if (await has('postmaster.opts')) return true;
  return hasDatabase(dataDirectory);
}

/** Whether a cluster has a database besides initdb's own. */
export async function hasDatabase(dataDirectory: string): Promise<boolean> {
  const databases = await readdir(path.join(dataDirectory, 'base')).catch(nothingWhereMissing);
  return databases.some((oid) => Number(oid) >= FIRST_USER_OID);
}

/** A new directory beside the data directory. What earlier ones left of themselves is removed. */
export async function emptyBeside(dataDirectory: string, owner: PostgresPlace['owner']): Promise<string> {
  const { dir, base } = path.parse(dataDirectory);
  const left = (await readdir(dir)).filter((name) => name.startsWith(`${base}${UNFINISHED}`));
  // An initdb outlives the server that was killed: what it still writes to is removed at another first start.
  await Promise.allSettled(left.map((name) => rm(path.join(dir, name), { recursive: true, force: true })));
  const empty = `${dataDirectory}${UNFINISHED}${randomUUID()}`;
  await mkdir(empty, { mode: 0o700 });
  if (owner) await lchown(empty, owner.uid, owner.gid);
  return empty;
}

/** Moves a finished cluster to its place; what lies there and holds none (see {@link holdsCluster}) is put aside. */
export async function putInPlace(finished: string, dataDirectory: string): Promise<void> {
  if ((await readdir(dataDirectory)).length === 0) await rmdir(dataDirectory);
  else await rename(dataDirectory, `${dataDirectory}${UNFINISHED}${randomUUID()}`);
  await rename(finished, dataDirectory);
}

function nothingWhereMissing(thrown: unknown): string[] {
  if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw thrown;
}
