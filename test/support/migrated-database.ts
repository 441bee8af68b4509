import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { applyMigrations } from '#libs/persistence';
import { onServer, testDatabase, urlOf, type TestDatabase } from './embedded-postgres.js';

export const MIGRATIONS = path.resolve('prisma/migrations');

/** Any number, the same in every test process. */
const TEMPLATE_LOCK = 7_286_020_199;

/** A fresh database with every migration applied. */
export async function migratedDatabase(): Promise<TestDatabase> {
  return testDatabase(await migratedTemplate());
}

/** The name of a database to copy, which the first who asks migrates while everybody else waits. */
async function migratedTemplate(): Promise<string> {
  const name = `migrated_${await digestOf(MIGRATIONS)}`;
  const draft = `draft_${name}`;
  await onServer(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 1) return;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await client.query(`CREATE DATABASE ${draft}`);
    await applyMigrations(urlOf(draft), MIGRATIONS);
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  });
  return name;
}

/** A PostgreSQL from outside may still have the template of other migrations. */
async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).filter((entry) => /^\d/.test(entry)).sort()) {
    hash.update(name).update(await readFile(path.join(folder, name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 16);
}
