import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#libs/kernel';
import { ClockFollower, PgRunStore } from '#libs/persistence';
import { aNewRun, runDatabase, started, type RunDatabase } from '../support/run-database.js';
import { until } from '../support/until.js';

const SKEW_MS = 90_000;
const NEAR_MS = 250;

describe('A clock that follows the database', () => {
  let db: RunDatabase;
  let behindMs: number;
  let sleptMs: number;
  let clock: SystemClock;
  beforeAll(async () => {
    db = await runDatabase();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
  });
  afterAll(() => db.close());
  beforeEach(() => {
    behindMs = SKEW_MS;
    sleptMs = 0;
    clock = new SystemClock({
      wall: () => Date.now() - behindMs,
      monotonic: () => performance.now() - sleptMs,
    });
  });

  async function offMs(): Promise<number> {
    const [row] = await db.sql<{ now: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now');
    return Math.abs(row!.now - clock.now());
  }

  it('is right after a claim', async () => {
    expect(await offMs()).toBeGreaterThan(SKEW_MS - NEAR_MS);
    const runs = await started(db.ledger(), [aNewRun()]);
    await new PgRunStore(db.database, db.database, 'ann', db.signals, clock).claim('ann', 1, runs);
    expect(await offMs()).toBeLessThan(NEAR_MS);
  });

  it('is right after a renewal', async () => {
    const runs = await started(db.ledger(), [aNewRun()]);
    const store = new PgRunStore(db.database, db.database, 'ann', db.signals, clock);
    const [claim] = await store.claim('ann', 1, runs);
    sleptMs = 600_000;
    expect(await offMs()).toBeGreaterThan(sleptMs - NEAR_MS);
    await store.renew('ann', [claim!.lease]);
    expect(await offMs()).toBeLessThan(NEAR_MS);
  });

  it.each([
    ['the machine slept', () => void (sleptMs = 600_000)],
    ['somebody set the clock of the machine', () => void (behindMs = -SKEW_MS)],
  ])('is right within a second when %s', async (_what, happen) => {
    const follower = new ClockFollower(db.database, clock);
    await follower.ask();
    expect(await offMs()).toBeLessThan(NEAR_MS);
    follower.start();
    happen();
    await until(async () => (await offMs()) < NEAR_MS, 'the clock is right', 1_000);
    follower.stop();
  });
});
