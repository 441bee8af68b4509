import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NewerEngines, PgRunStore, Slots, type Database } from '#libs/persistence';
import { blocksTouched } from '../support/blocks-touched.js';
import { runDatabase, type RunDatabase } from '../support/run-database.js';

/** Not three times as much: the indexes have another level. */
const SAME = 2;

describe('What scheduling costs', () => {
  let db: RunDatabase;
  beforeAll(async () => {
    db = await runDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('TRUNCATE runs CASCADE');
    await db.sql(`DELETE FROM tenants WHERE id <> 'default'`);
    await db.sql(`INSERT INTO tenants (id, name) SELECT 't' || n, 't' FROM generate_series(1, 10000) n`);
  });

  /** Runs in a slot, each with its turn; `head` is SQL for what its head says beside that, of its number `n`. */
  async function runs(count: number, slot: string, head: { tenant?: string; owner?: string }): Promise<void> {
    const { tenant = `'default'`, owner = 'NULL' } = head;
    const id = `lpad((n + (SELECT count(*) FROM runs))::text, 26, '0')`;
    await db.sql(
      `WITH r AS (
         INSERT INTO runs (tenant_id, id, manifest_sha256, spec_sha256, sandbox_provider, engine_version)
         SELECT ${tenant}, ${id}, '', '', 'local', 0 FROM generate_series(1, ${count}) n RETURNING tenant_id, id)
       INSERT INTO run_heads (tenant_id, run_id, status, slot, runnable_seq, lease_owner, lease_expires_at, slot_since)
       SELECT tenant_id, id, 'running', '${slot}', id::bigint, ${owner}, CASE WHEN ${owner} IS NOT NULL THEN now() + interval '1 hour' END, now()
         FROM r`,
    );
    await db.sql('ANALYZE');
  }

  const claim = (database: Database): Promise<unknown> =>
    new PgRunStore(database, database, 'ann', db.signals, db.clock).claim('ann', 1);
  const promote = (database: Database): Promise<unknown> => new Slots(database, db.signals, db.clock).wakeAndPromote();
  const limit = (count: number): Promise<unknown> =>
    db.sql('UPDATE scheduler SET max_concurrent_runs = (SELECT count(*) FROM run_heads WHERE slot = $1) + $2', [
      'held',
      count,
    ]);
  /** One slot is free each time. */
  const promoteOne = async (database: Database): Promise<void> => {
    await limit(1);
    await promote(database);
  };

  it('a claim: nothing for each run that others hold', async () => {
    await runs(10, 'held', { owner: `'ben'` });
    await runs(10, 'held', {});
    const few = await blocksTouched(db, claim);
    await runs(10_000, 'held', { owner: `'ben'` });
    expect(await blocksTouched(db, claim)).toBeLessThanOrEqual(SAME * few);
  });

  it('a claim: nothing for each run that waits behind it', async () => {
    await runs(10, 'held', {});
    const few = await blocksTouched(db, claim);
    await runs(10_000, 'held', {});
    expect(await blocksTouched(db, claim)).toBeLessThanOrEqual(SAME * few);
  });

  it('a promotion: nothing for each tenant, whether it waits or not', async () => {
    await runs(20, 'queued', {});
    const one = await blocksTouched(db, promoteOne);
    await runs(1_000, 'queued', { tenant: `'t' || n` });
    const thousand = await blocksTouched(db, promoteOne);
    await runs(10_000, 'queued', { tenant: `'t' || n` });
    const all = await blocksTouched(db, promoteOne);
    expect(thousand).toBeLessThanOrEqual(SAME * one);
    expect(all).toBeLessThanOrEqual(SAME * one);
  });

  it('a look around: nothing for each run that waits or is over', async () => {
    const look = (database: Database): Promise<unknown> => new Slots(database, db.signals, db.clock).outstanding();
    await runs(10, 'queued', {});
    await runs(10, 'none', {});
    const few = await blocksTouched(db, look);
    await runs(5_000, 'queued', {});
    await runs(5_000, 'none', {});
    expect(await blocksTouched(db, look)).toBeLessThanOrEqual(SAME * few);
  });

  it('a look for runs of newer engines: nothing for each run that waits, works, rests or is over', async () => {
    const look = (database: Database): Promise<unknown> => new NewerEngines(database).round();
    await db.sql(`INSERT INTO workers (id) VALUES ('ann')`);
    const each = async (count: number): Promise<void> => {
      for (const slot of ['queued', 'parked', 'none']) await runs(count, slot, {});
      await runs(count, 'held', { owner: `'ben'` });
    };
    await each(10);
    const few = await blocksTouched(db, look);
    await each(5_000);
    expect(await blocksTouched(db, look)).toBeLessThanOrEqual(SAME * few);
  });
});
