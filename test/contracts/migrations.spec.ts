import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations, Database, ensurePartitionsAhead, SchemaMismatchError } from '#libs/persistence';
import { startPostgres, testDatabase, type TestDatabase } from '../support/embedded-postgres.js';
import { MIGRATIONS } from '../support/run-database.js';
import { until } from '../support/until.js';

const FIVE = [1, 2, 3, 4, 5];

async function onServer<Row extends object>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('Migrations', () => {
  let shipped: string[];
  let db: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    const entries = await readdir(MIGRATIONS, { withFileTypes: true });
    shipped = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  });
  beforeEach(async () => {
    db = await testDatabase();
    folder = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  });
  afterEach(async () => {
    await db.drop();
    await rm(folder, { recursive: true });
  });

  async function migration(name: string, sql: string): Promise<void> {
    await mkdir(path.join(folder, name), { recursive: true });
    await writeFile(path.join(folder, name, 'migration.sql'), sql);
  }

  const apply = () => applyMigrations(db.connectionString, folder);

  async function tables(): Promise<string[]> {
    const rows = await onServer<{ name: string }>(
      db.connectionString,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`,
    );
    return rows.map(({ name }) => name).filter((name) => name !== '_prisma_migrations');
  }

  async function recorded(): Promise<string[]> {
    const rows = await onServer<{ name: string }>(
      db.connectionString,
      'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY migration_name',
    );
    return rows.map(({ name }) => name);
  }

  /** As a version before this one takes it, too. */
  async function lockHolder(): Promise<pg.Client> {
    const { connectionString } = db;
    const client = new pg.Client({ connectionString, application_name: 'a frozen server' });
    await client.connect();
    await client.query('SELECT pg_advisory_lock(7286020101)');
    return client;
  }

  it('are applied once, in the order of their names', async () => {
    await migration('2_fill', 'INSERT INTO things VALUES (1)');
    await migration('1_things', 'CREATE TABLE things (n integer)');
    expect(await apply()).toEqual(['1_things', '2_fill']);
    expect(await apply()).toEqual([]);
    await migration('3_more', 'INSERT INTO things VALUES (2)');
    expect(await apply()).toEqual(['3_more']);
    expect(await onServer(db.connectionString, 'SELECT n FROM things ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('are applied once by five servers that start together', async () => {
    await cp(MIGRATIONS, folder, { recursive: true });
    const applied = await Promise.all(FIVE.map(apply));
    expect(applied.flat()).toEqual(shipped);
    expect(await recorded()).toEqual(shipped);
  });

  it('have a number each, but for two that were released with one', () => {
    const numbers = shipped.map((name) => name.split('_')[0]!);
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual(['20261121130000']);
  });

  it('wait for whoever migrates', async () => {
    const other = await lockHolder();
    const applied = applyMigrations(db.connectionString, MIGRATIONS);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await tables()).toEqual([]);
    await other.end();
    expect(await applied).toEqual(shipped);
  });

  it('name whoever keeps them from being applied', async () => {
    const other = await lockHolder();
    const [holder] = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    const applied = applyMigrations(db.connectionString, MIGRATIONS, 300);
    await expect(applied).rejects.toMatchObject({ code: 'database_unusable' });
    await expect(applied).rejects.toThrow(
      new RegExp(`session ${holder!.pid} \\("a frozen server", connected since 20`),
    );
    await other.end();
  });

  it('are refused by name when their text has changed', async () => {
    await migration('1_things', 'CREATE TABLE things (n integer)');
    await apply();
    await migration('1_things', 'CREATE TABLE things (n bigint)');
    await migration('2_other', 'CREATE TABLE other (n integer)');
    await expect(apply()).rejects.toThrow(/"1_things" was changed/);
    await expect(apply()).rejects.toBeInstanceOf(SchemaMismatchError);
    expect(await tables()).toEqual(['things']);
  });

  it('live with what a newer version added, whichever of the two starts again', async () => {
    await migration('1_things', 'CREATE TABLE things (n integer)');
    await migration('9_newer', 'CREATE TABLE newer (n integer)');
    await apply();
    await rm(path.join(folder, '9_newer'), { recursive: true });
    expect(await apply()).toEqual([]);
    expect(await tables()).toEqual(['newer', 'things']);
    await migration('9_newer', 'CREATE TABLE newer (n integer)');
    expect(await apply()).toEqual([]);
  });

  it('are refused by name when a newer version took something away', async () => {
    await migration('1_things', 'CREATE TABLE things (n integer)');
    await migration('9_contract_things', 'DROP TABLE things');
    await apply();
    await rm(path.join(folder, '9_contract_things'), { recursive: true });
    await migration('2_other', 'CREATE TABLE other (n integer)');
    await expect(apply()).rejects.toThrow(/"9_contract_things", with which a newer version took away/);
    await expect(apply()).rejects.toBeInstanceOf(SchemaMismatchError);
    expect(await tables()).toEqual([]);
  });

  it('are rolled back whole when one statement fails, and go on from there once they are mended', async () => {
    await migration('1_things', 'CREATE TABLE things (n integer)');
    await migration('2_broken', 'CREATE TABLE half (n integer); INSERT INTO half VALUES (1); SELECT 1 / 0;');
    await expect(apply()).rejects.toThrow(/"2_broken" failed and was rolled back: division by zero/);
    expect(await tables()).toEqual(['things']);
    expect(await recorded()).toEqual(['1_things']);
    await migration('2_broken', 'CREATE TABLE whole (n integer)');
    expect(await apply()).toEqual(['2_broken']);
    expect(await tables()).toEqual(['things', 'whole']);
  });

  it('leave nothing behind when the connection breaks in the middle', async () => {
    await migration('1_slow', `CREATE TABLE half (n integer); SELECT pg_sleep(20)`);
    const broken = expect(apply()).rejects.toBeInstanceOf(SchemaMismatchError);
    const cut = async (): Promise<boolean> => {
      const rows = await onServer(
        db.connectionString,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows.length === 1;
    };
    await until(cut, 'the migration is under way');
    await broken;
    expect(await tables()).toEqual([]);
    await migration('1_slow', 'CREATE TABLE whole (n integer)');
    expect(await apply()).toEqual(['1_slow']);
  });

  it('make a database in which the log has partitions ahead of time', async () => {
    await applyMigrations(db.connectionString, MIGRATIONS);
    const database = new Database({
      connectionString: db.connectionString,
      maxConnections: 4,
      applicationName: 'test',
    });
    await Promise.all(FIVE.map(() => ensurePartitionsAhead(database)));
    await database.close();
    const [months] = await onServer<{ names: string[] }>(
      db.connectionString,
      `SELECT array_agg('run_events_' || to_char(now() + make_interval(months => m), 'YYYYMM') ORDER BY m) AS names
         FROM generate_series(0, 1) m`,
    );
    expect(await tables()).toEqual(expect.arrayContaining(months!.names));
  });
});

describe('Migrations of two databases in one fresh cluster', () => {
  it('do not get in each other’s way', async () => {
    const server = await startPostgres();
    try {
      const names = ['one', 'two'];
      for (const name of names) await onServer(server.connectionString, `CREATE DATABASE ${name}`);
      const urls = names.map((name) => Object.assign(new URL(server.connectionString), { pathname: `/${name}` }).href);
      const applied = await Promise.all(
        FIVE.flatMap(() => urls).map((connectionString) => applyMigrations(connectionString, MIGRATIONS)),
      );
      expect(applied.filter(({ length }) => length > 0)).toHaveLength(2);
      for (const connectionString of urls) {
        const database = new Database({ connectionString, maxConnections: 1, applicationName: 'test' });
        await database.ping();
        await database.close();
      }
    } finally {
      await server.remove();
    }
  });
});
