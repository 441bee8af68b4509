import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseLostError, type Lease } from '#libs/engine';
import { PgRunStore, type LostTail } from '#libs/persistence';
import {
  aNewRun,
  aNotice,
  expireLease,
  runDatabase,
  started,
  storedLog,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';
import { until } from '../support/until.js';

const FIRST = 6;

describe('A log that lost its end to another server', () => {
  let db: RunDatabase;
  let store: PgRunStore;
  let lost: LostTail[];
  let lease: Lease;
  beforeAll(async () => {
    db = await runDatabase();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    lost = [];
    store = new PgRunStore(db.database, db.database, 'ann', db.signals, db.clock, {
      tailLost: (tail) => void lost.push(tail),
    });
    const [run] = await started(db.ledger(), [aNewRun()]);
    const [claim] = await store.claim('ann', 1, [run!]);
    lease = claim!.lease;
  });

  /** What an asynchronous standby never had is not there when it takes over. */
  async function forgetting(work: () => Promise<unknown>): Promise<void> {
    const [head] = await db.sql('SELECT * FROM run_heads WHERE run_id = $1', [lease.runId]);
    const { next_seq, last_append_id, lease_epoch, lease_owner } = head as Record<string, unknown>;
    await work();
    await db.sql('DELETE FROM run_events WHERE run_id = $1 AND seq >= $2', [lease.runId, next_seq]);
    await db.sql(
      'UPDATE run_heads SET next_seq = $2, last_append_id = $3, lease_epoch = $4, lease_owner = $5 WHERE run_id = $1',
      [lease.runId, next_seq, last_append_id, lease_epoch, lease_owner],
    );
  }

  const append = (message: string) => store.append(lease, { events: [aNotice(message)] });
  const names = async () => (await storedLog(db, lease)).slice(FIRST - 1).map(({ event, epoch }) => [event, epoch]);

  /** Another epoch goes on, and no run is blamed. */
  async function expectTakenOver(): Promise<void> {
    const [claim] = await db.store('ben').claim('ben', 1, [lease]);
    expect(claim).toMatchObject({ wasLost: true, epochsWithoutProgress: 0 });
  }

  it('is noticed by the next append, which stores nothing', async () => {
    await append('kept');
    await forgetting(() => append('lost'));
    await expect(append('next')).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toEqual([{ lease, knownSeq: FIRST + 1, logSeq: FIRST }]);
    expect(await names()).toEqual([
      ['run.notice', 1],
      ['run.notice', null],
    ]);
    const [notice] = await db.sql("SELECT body -> 'properties' AS said FROM run_events WHERE run_id = $1 AND seq = 7", [
      lease.runId,
    ]);
    expect(notice).toMatchObject({ said: { level: 'error', code: 'log_tail_lost' } });
    await expectTakenOver();
  });

  it('is noticed although others have appended as much since', async () => {
    await forgetting(() => append('lost'));
    await db.ledger().changeBy(lease, async () => ({ events: [aNotice('other')] }));
    await expect(append('next')).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toHaveLength(1);
    await expectTakenOver();
  });

  it('is noticed when it lost what others appended and the worker has read', async () => {
    await forgetting(async () => {
      await db.ledger().changeBy(lease, async () => ({ events: [aNotice('other')] }));
      expect(await store.readOthers(lease, FIRST - 1)).toHaveLength(1);
    });
    await expect(store.appendLocked(lease, FIRST, () => [aNotice('next')])).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toEqual([{ lease, knownSeq: FIRST, logSeq: FIRST - 1 }]);
    await expectTakenOver();
  });

  it('is noticed by a renewal', async () => {
    await forgetting(() => append('lost'));
    expect(await store.renew('ann', [lease])).toEqual(new Map());
    await until(() => lost.length === 1, 'it is told');
    await expectTakenOver();
  });

  it('is noticed by a release', async () => {
    await forgetting(() => append('lost'));
    const end = { events: [theEnd()], slot: 'none', wakeAt: null, state: null } as const;
    await expect(store.release(lease, end)).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toHaveLength(1);
    expect(await names()).toEqual([['run.notice', null]]);
    await expectTakenOver();
  });

  it('is noticed when the claim was lost with it', async () => {
    await expireLease(db, lease);
    const first = lease;
    await forgetting(async () => {
      const [claim] = await store.claim('ann', 1, [first]);
      lease = claim!.lease;
    });
    await expect(append('next')).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toHaveLength(1);
  });

  it('is not suspected when another epoch took the run', async () => {
    await expireLease(db, lease);
    await db.store('ben').claim('ben', 1, [lease]);
    await expect(append('late')).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('is not suspected when an append is on its way while the lease is renewed', async () => {
    const end = Date.now() + 1_000;
    const renewing = (async () => {
      while (Date.now() < end) expect((await store.renew('ann', [lease])).size).toBe(1);
    })();
    while (Date.now() < end) await append('busy');
    await renewing;
    expect(lost).toEqual([]);
  });

  it('is not suspected when appends are still on their way as the run is released', async () => {
    const [, released] = await Promise.all([
      append('last'),
      store.release(lease, { events: [theEnd()], slot: 'none', wakeAt: null, state: null }),
    ]);
    expect(released).toEqual({ released: true });
    expect(lost).toEqual([]);
  });
});
