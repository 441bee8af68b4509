import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { messageOf } from '#libs/kernel';
import { DatabaseUnusableError, SchemaMismatchError } from '../errors.js';
import { takeMigrationLock } from './migration-lock.js';
import { unusableDatabase } from './unusable-database.js';

interface Migration {
  name: string;
  checksum: string;
  sql: string;
}

const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz, migration_name varchar(255) NOT NULL,
  logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

/** Another server may migrate meanwhile; one that takes longer was stopped in the middle, or has a very large table. */
const PATIENCE_MS = 60_000;

/**
 * Brings the schema up to date, as the owner of the database, in Prisma's own order and bookkeeping. Each migration is
 * applied whole or not at all. What a newer version added is no hindrance: two versions live together for a deploy and
 * back. Throws {@link SchemaMismatchError} naming the migration that failed, that was changed after it was applied, or
 * with which a newer version took away what this one needs, and a {@link DatabaseUnusableError} naming the database that
 * cannot be reached, changed or used, or the session that has migrated it for longer than a minute.
 */
export async function applyMigrations(
  connectionString: string,
  folder: string,
  patienceMs = PATIENCE_MS,
): Promise<string[]> {
  const known = await readMigrations(folder);
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    application_name: `runyard migrations on ${os.hostname()}`,
  });
  // A connection that breaks fails the statement that is on it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await takeMigrationLock(client, patienceMs);
    await client.query(TABLE);
    const { rows: applied } = await client.query<{ migration_name: string; checksum: string }>(
      'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    );
    refuseMismatch(known, applied);
    const done = new Set(applied.map(({ migration_name }) => migration_name));
    const due = known.filter(({ name }) => !done.has(name));
    for (const migration of due) await apply(client, migration);
    await assertMayBecomeApp(client);
    return due.map(({ name }) => name);
  } catch (thrown) {
    throw unusableDatabase(client, thrown);
  } finally {
    await client.end();
  }
}

/** The migrations that this version knows, in their order. */
export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await migrationNames(folder);
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Part of the name of a migration that takes something away; all others only add. */
const TAKES_AWAY = /_contract(_|$)/;

function refuseMismatch(
  known: readonly Migration[],
  applied: readonly { migration_name: string; checksum: string }[],
): void {
  for (const { migration_name: name, checksum } of applied) {
    const ours = known.find((migration) => migration.name === name);
    if (!ours && TAKES_AWAY.test(name)) {
      throw new SchemaMismatchError(
        `The database has migration "${name}", with which a newer version took away what this one needs. Start that version, or restore a backup.`,
      );
    }
    if (ours && ours.checksum !== checksum) {
      throw new SchemaMismatchError(`Migration "${name}" was changed after it was applied; restore its text.`);
    }
  }
}

/** Another owner may have made the role, for another database of the same cluster, and has to share it. */
async function assertMayBecomeApp(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ me: string; may: boolean }>(
    `SELECT current_user AS me, pg_has_role(oid, 'MEMBER') AS may FROM pg_roles WHERE rolname = 'runyard_app'`,
  );
  const barred = rows.find(({ may }) => !may);
  if (!barred) return;
  throw new DatabaseUnusableError(
    `The user ${barred.me} may not act as "runyard_app", a role that is there already. Let a superuser run: GRANT runyard_app TO ${barred.me}`,
  );
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw new SchemaMismatchError(`Migration "${name}" failed and was rolled back: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
