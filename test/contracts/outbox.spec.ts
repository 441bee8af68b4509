import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Outbox } from '#libs/persistence';
import { aNewRun, runDatabase, started, type RunDatabase } from '../support/run-database.js';

jest.setTimeout(30_000);

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('The outbox', () => {
  let db: RunDatabase;
  let outbox: Outbox;
  beforeAll(async () => {
    db = await runDatabase();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
    outbox = new Outbox(db.database);
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

  /** Lets time pass for everything in the outbox. */
  const pass = (seconds: number) =>
    db.sql(
      `UPDATE outbox SET not_before = not_before - make_interval(secs => $1), created_at = created_at - make_interval(secs => $1)`,
      [seconds],
    );

  const promoted = (count: number) =>
    started(
      db.ledger(),
      times(count, () => aNewRun()),
    );

  it('holds a wake for each promoted run, due when nobody rang for it in 3 s', async () => {
    const [run] = await promoted(1);
    expect(await outbox.takeDue(10)).toEqual([]);
    await pass(2.5);
    expect(await outbox.takeDue(10)).toEqual([]);
    await pass(0.6);
    const items = await outbox.takeDue(10);
    expect(items).toEqual([{ ...run, id: expect.any(Number), kind: 'wake', tries: 1, epoch: 1 }]);
  });

  it('hides what it gave out for 30 s, and then gives it out again', async () => {
    await promoted(1);
    await pass(4);
    expect(await outbox.takeDue(10)).toHaveLength(1);
    expect(await outbox.takeDue(10)).toEqual([]);
    await pass(29);
    expect(await outbox.takeDue(10)).toEqual([]);
    await pass(2);
    expect(await outbox.takeDue(10)).toMatchObject([{ tries: 2 }]);
  });

  it('forgets what is done, and only that', async () => {
    await promoted(3);
    await pass(4);
    const [first, ...rest] = await outbox.takeDue(10);
    await outbox.done([first!.id]);
    await outbox.done([first!.id]);
    await outbox.done([]);
    await pass(31);
    const again = await outbox.takeDue(10);
    expect(again.map(({ id }) => id).sort()).toEqual(rest.map(({ id }) => id).sort());
  });

  it('gives nothing to two that look at the same time', async () => {
    await promoted(90);
    await pass(4);
    const looks = await Promise.all(times(6, () => new Outbox(db.database).takeDue(20)));
    const ids = [...looks.flat(), ...(await outbox.takeDue(100))].map(({ id }) => id);
    expect(ids).toHaveLength(90);
    expect(new Set(ids).size).toBe(90);
    expect(Math.max(...looks.map(({ length }) => length))).toBeLessThanOrEqual(20);
  });

  it('finds an item that was committed after younger ones', async () => {
    const late = await db.session();
    await late.query('BEGIN');
    await late.query(`INSERT INTO outbox (tenant_id, run_id, kind) VALUES ('default', 'late', 'wake')`);
    await promoted(1);
    await pass(4);
    const [early] = await outbox.takeDue(10);
    await outbox.done([early!.id]);
    await late.query('COMMIT');
    await late.end();
    const [item] = await outbox.takeDue(10);
    expect(item).toMatchObject({ runId: 'late', epoch: null });
    expect(item!.id).toBeLessThan(early!.id);
    await outbox.done([item!.id]);
  });

  it('tells the age of its oldest item, however old', async () => {
    expect(await outbox.oldestMs()).toBe(0);
    await promoted(1);
    await pass(60);
    await promoted(1);
    expect(await outbox.oldestMs()).toBeGreaterThanOrEqual(60_000);
    expect(await outbox.oldestMs()).toBeLessThan(70_000);
    const MONTH_S = 30 * 24 * 3_600;
    await pass(MONTH_S);
    expect(await outbox.oldestMs()).toBeGreaterThan(MONTH_S * 1_000);
  });
});
