import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseUnusableError } from '../errors.js';

/** Held while migrating, so that servers that start together do it once. */
const MIGRATION_LOCK = 7_286_020_101;
const TRY_AGAIN_MS = 100;

/**
 * Takes the lock for as long as the session lives. Throws a {@link DatabaseUnusableError} that names the session which
 * keeps it, when that takes longer than `patienceMs`.
 */
export async function takeMigrationLock(client: pg.Client, patienceMs: number): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMs; !(await tryLock(client)); await sleep(TRY_AGAIN_MS)) {
    if (performance.now() >= giveUpAt) throw await heldElsewhere(client, patienceMs);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK]);
  return rows[0]!.taken;
}

async function heldElsewhere(client: pg.Client, patienceMs: number): Promise<DatabaseUnusableError> {
  const { rows } = await client.query<{ pid: number; name: string | null; since: string | null }>(
    `SELECT l.pid, a.application_name AS name, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since
       FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND (l.classid::bigint << 32) | l.objid::bigint = $1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [MIGRATION_LOCK],
  );
  const [holder] = rows;
  const who = holder
    ? `session ${holder.pid} ("${holder.name ?? 'unknown'}", connected since ${holder.since ?? 'unknown'} UTC)`
    : 'a session that has just ended';
  return new DatabaseUnusableError(
    `The schema has been locked for a migration for ${Math.round(patienceMs / 1_000)} s, by ${who}. Wait until it is done; if its process hangs, end it, or run: SELECT pg_terminate_backend(${holder?.pid ?? '…'})`,
  );
}
