import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { forgetOldIdempotencyKeys } from '#libs/persistence';
import { runDatabase, type RunDatabase } from '../support/run-database.js';

describe('Idempotency keys', () => {
  let db: RunDatabase;
  beforeAll(async () => {
    db = await runDatabase(12);
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('TRUNCATE idempotency_keys'));

  const add = (from: number, to: number, age: string) =>
    db.sql(
      `INSERT INTO idempotency_keys (tenant_id, key, run_id, created_at)
       SELECT 'default', 'key ' || n, 'run ' || n, now() - $3::interval FROM generate_series($1::int, $2::int) n`,
      [from, to, age],
    );
  const count = async () => (await db.sql<{ n: number }>('SELECT count(*)::int AS n FROM idempotency_keys'))[0]!.n;

  it('are forgotten after a day, some thousand in a statement', async () => {
    await add(1, 12_000, '25 hours');
    await add(12_001, 12_010, '23 hours');
    const queries = jest.spyOn(db.database, 'query');
    await forgetOldIdempotencyKeys(db.database);
    expect(queries).toHaveBeenCalledTimes(3);
    queries.mockRestore();
    expect(await count()).toBe(10);
  });

  it('are forgotten by several processes at once, none waiting for another or for a removal', async () => {
    await add(1, 12_000, '25 hours');
    const removal = await db.session();
    try {
      await removal.query('BEGIN');
      await removal.query(`DELETE FROM idempotency_keys WHERE tenant_id = 'default' AND run_id = 'run 7'`);
      await Promise.all([1, 2, 3].map(() => forgetOldIdempotencyKeys(db.database)));
      await removal.query('ROLLBACK');
    } finally {
      await removal.end();
    }
    await forgetOldIdempotencyKeys(db.database);
    expect(await count()).toBe(0);
  });

  it.each([
    [
      'forgotten',
      `SELECT FROM idempotency_keys WHERE created_at < now() - interval '24 hours' ORDER BY created_at LIMIT 5000`,
    ],
    ['removed with their run', `DELETE FROM idempotency_keys WHERE tenant_id = 'default' AND run_id = 'run 7'`],
  ])('are found through an index when they are %s', async (_what, statement) => {
    await add(1, 12_000, '1 hour');
    await db.sql('ANALYZE idempotency_keys');
    const plan = await db.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
    expect(plan.map((row) => row['QUERY PLAN']).join(' ')).not.toContain('Seq Scan');
  });
});
