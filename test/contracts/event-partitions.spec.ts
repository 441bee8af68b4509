import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ulid } from 'ulid';
import type { RunKey } from '#libs/engine';
import type { RunId } from '#libs/kernel';
import { applyMigrations, dropEmptyPartitions, ensurePartitionsAhead, type RunLedger } from '#libs/persistence';
import { testDatabase } from '../support/embedded-postgres.js';
import { aNewRun, MIGRATIONS, runDatabase, started, storedLog, type RunDatabase } from '../support/run-database.js';
import { stretched } from '../support/stretched.js';

describe('The partitions of the log', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  beforeAll(async () => {
    db = await runDatabase();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
    ledger = db.ledger();
    await ensurePartitionsAhead(db.database);
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

  const ensure = (month: string) => db.sql('SELECT ensure_event_partition($1)', [month]);
  const drop = () => dropEmptyPartitions(db.database);

  async function aRunOf(time: string): Promise<RunKey> {
    const [run] = await started(ledger, [aNewRun({ runId: ulid(Date.parse(time)) as RunId })]);
    return run!;
  }

  /** Where the rows of a run lie. */
  async function placesOf({ runId }: RunKey): Promise<string[]> {
    const rows = await db.sql<{ place: string }>(
      'SELECT DISTINCT tableoid::regclass::text AS place FROM run_events WHERE run_id = $1',
      [runId],
    );
    return rows.map(({ place }) => place);
  }

  async function months(): Promise<string[]> {
    const rows = await db.sql<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'run_events'::regclass ORDER BY name`,
    );
    return rows.map(({ name }) => name).filter((name) => name !== 'run_events_default');
  }

  it.each([
    ['the first moment', '2031-03-01T00:00:00.000Z', 'run_events_203103'],
    ['the last moment', '2031-03-31T23:59:59.999Z', 'run_events_203103'],
    ['the moment before', '2031-02-28T23:59:59.999Z', 'run_events_default'],
    ['the moment after', '2031-04-01T00:00:00.000Z', 'run_events_default'],
  ])('hold the runs of a month: %s', async (_what, time, place) => {
    await ensure('2031-03-15');
    expect(await placesOf(await aRunOf(time))).toEqual([place]);
  });

  it('take over what the default partition caught of their month, and nothing else', async () => {
    const caught = await aRunOf('2032-05-05T05:05:05Z');
    const other = await aRunOf('2032-06-06T06:06:06Z');
    const log = await storedLog(db, caught);
    await Promise.all([1, 2, 3].map(() => ensure('2032-05-01')));
    expect(await placesOf(caught)).toEqual(['run_events_203205']);
    expect(await placesOf(other)).toEqual(['run_events_default']);
    expect(await storedLog(db, caught)).toEqual(log);
  });

  it('wait for nobody who uses the default partition, and keep nobody waiting', async () => {
    const run = await aRunOf('2033-05-05T05:05:05Z');
    const reader = await db.session();
    try {
      await reader.query('BEGIN');
      await reader.query('SELECT count(*) FROM run_events_default');
      await Promise.all([ensure('2033-05-01'), aRunOf('2033-05-05T05:05:06Z')]);
      expect(await placesOf(run)).toEqual(['run_events_default']);
      await reader.query('COMMIT');
    } finally {
      await reader.end();
    }
    await ensure('2033-05-01');
    expect(await placesOf(run)).toEqual(['run_events_203305']);
  });

  it('are dropped when their month is over and nothing is left in them', async () => {
    await ensure('2024-01-01');
    await ensure('2024-02-01');
    const gone = await aRunOf('2024-01-10T00:00:00Z');
    const kept = await aRunOf('2024-02-10T00:00:00Z');
    await ledger.remove(gone);
    await db.sql('VACUUM run_events');
    expect(await drop()).toEqual(['run_events_202401']);
    expect(await storedLog(db, kept)).toHaveLength(5);
    expect(await months()).toContain('run_events_202402');
    expect(await placesOf(await aRunOf('2024-01-20T00:00:00Z'))).toEqual(['run_events_default']);
    await ledger.remove(kept);
    await db.sql('VACUUM run_events');
    expect(await drop()).toEqual(['run_events_202402']);
  });

  it('stay when the default partition may not take what would come of their month', async () => {
    // As a migration leaves it that finds rows in it.
    const gap = `ALTER TABLE run_events_default ADD CONSTRAINT run_events_default_gap
      CHECK (run_id < ulid_floor('2024-03-01') OR run_id >= ulid_floor('2030-01-01'))`;
    await db.sql(gap);
    try {
      await ensure('2024-03-01');
      expect(await drop()).toEqual([]);
      const run = await aRunOf('2024-03-10T00:00:00Z');
      expect(await placesOf(run)).toEqual(['run_events_202403']);
      await ledger.remove(run);
      await db.sql('VACUUM run_events');
    } finally {
      await db.sql('ALTER TABLE run_events_default DROP CONSTRAINT run_events_default_gap');
    }
    expect(await drop()).toEqual(['run_events_202403']);
  });

  it('stay while they are to be written to, empty or not', async () => {
    const before = await months();
    await db.sql('VACUUM run_events');
    expect(await drop()).toEqual([]);
    expect(await months()).toEqual(before);
  });

  it('stay, and keep nobody waiting, while somebody writes', async () => {
    await ensure('2023-01-01');
    const writer = await db.session();
    try {
      await writer.query('BEGIN');
      await writer.query('SELECT FROM run_events LIMIT 1');
      const start = performance.now();
      const [dropped] = await Promise.all([drop(), aRunOf(new Date().toISOString())]);
      expect(dropped).toEqual([]);
      expect(performance.now() - start).toBeLessThan(stretched(2_000));
      await writer.query('COMMIT');
    } finally {
      await writer.end();
    }
    expect(await drop()).toEqual(['run_events_202301']);
  });

  it('are dropped by one of several servers that see them empty', async () => {
    await ensure('2022-01-01');
    const dropped = await Promise.all([drop(), drop(), drop()]);
    expect([...dropped.flat(), ...(await drop())]).toEqual(['run_events_202201']);
  });

  it('are made of this month and the next two, and said to be missing while they are not', async () => {
    const ahead = await db.sql<{ name: string }>(
      `SELECT 'run_events_' || to_char(now() + make_interval(months => m), 'YYYYMM') AS name FROM generate_series(0, 2) m`,
    );
    expect(await months()).toEqual(expect.arrayContaining(ahead.map(({ name }) => name)));
    expect(await ensurePartitionsAhead(db.database)).toEqual([]);
    const last = ahead[2]!.name;
    await db.sql(`ALTER TABLE run_events DETACH PARTITION ${last}; DROP TABLE ${last}`);
    const reader = await db.session();
    try {
      await reader.query('BEGIN; SELECT count(*) FROM run_events_default');
      expect(await ensurePartitionsAhead(db.database)).toEqual([`${last.slice(-6, -2)}-${last.slice(-2)}-01`]);
      await reader.query('COMMIT');
    } finally {
      await reader.end();
    }
    expect(await ensurePartitionsAhead(db.database)).toEqual([]);
  });

  it('make no month, and no error either, when that takes too long', async () => {
    const [holder, maker] = [await db.session(), await db.session()];
    try {
      await holder.query('BEGIN; LOCK TABLE run_events IN SHARE UPDATE EXCLUSIVE MODE');
      await maker.query('SET statement_timeout = 100');
      await maker.query(`SELECT ensure_event_partition('2035-01-01')`);
      expect(await months()).not.toContain('run_events_203501');
    } finally {
      await Promise.all([holder.end(), maker.end()]);
    }
  });
});

describe('A default partition that caught ids of a far future before they were refused', () => {
  it('is not read when a month is made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    const place = await testDatabase();
    const owner = new pg.Client({ connectionString: place.connectionString });
    try {
      const before = (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name) && name < '20261122130200');
      for (const name of before) await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true });
      await applyMigrations(place.connectionString, folder);
      await owner.connect();
      await owner.query(
        `INSERT INTO run_events (tenant_id, run_id, seq, id, event, ts, body)
         SELECT 'default', ulid_floor('2100-01-01'), n, gen_random_uuid(), 'run.notice', now(), '{}' FROM generate_series(1, 1000) n`,
      );
      await applyMigrations(place.connectionString, MIGRATIONS);
      const notices: string[] = [];
      owner.on('notice', ({ message }) => notices.push(message ?? ''));
      await owner.query('SET client_min_messages = debug1');
      await owner.query(`SELECT ensure_event_partition((now() + interval '2 months')::date)`);
      expect(notices.filter((message) => message.includes('is implied by existing constraints'))).toHaveLength(1);
      await owner.query(`SELECT ensure_event_partition('2100-01-01')`);
      const { rows } = await owner.query('SELECT FROM run_events_210001');
      expect(rows).toHaveLength(1_000);
    } finally {
      await owner.end();
      await place.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
