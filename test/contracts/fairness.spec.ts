import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import type { TenantId } from '#libs/kernel';
import { Slots, type RunLedger } from '#libs/persistence';
import {
  addTenant,
  aNewRun,
  anEvent,
  expireLease,
  runDatabase,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const ended = { events: [theEnd()], slot: 'none', wakeAt: null, state: null } as const;

describe('Tenants', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let slots: Slots;
  const tenants: TenantId[] = [];
  beforeAll(async () => {
    db = await runDatabase();
    ledger = db.ledger();
    slots = new Slots(db.database, db.signals, db.clock);
    for (const name of ['ada', 'bob', 'cyd', 'dan']) tenants.push(await addTenant(db, name, null));
    // One of them has started a million runs before, another none.
    await db.sql(`UPDATE tenants SET next_runnable_seq = 1000000 WHERE id = 'ada'`);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await slots.setLimit(1);
  });

  const start = (tenantId: TenantId, count: number): Promise<RunKey[]> =>
    started(
      ledger,
      times(count, () => aNewRun({ tenantId })),
    );

  /** Drives every run that is claimed to its end, `count` of them, and says whose they were. */
  async function drive(count: number): Promise<TenantId[]> {
    const store = db.store('ann');
    const served: TenantId[] = [];
    while (served.length < count) {
      const [claim] = await store.claim('ann', 1);
      served.push(claim!.lease.tenantId);
      await store.release(claim!.lease, ended);
    }
    return served;
  }

  it.each([1, 2, 3, 4])('with a backlog get their share of the starts in every window: %d of them', async (k) => {
    const waiting = tenants.slice(0, k);
    for (const tenant of waiting) await start(tenant, 12);
    const served = await drive(k * 10);
    for (let from = 0; from < served.length; from++) {
      for (let to = from + 1; to <= served.length; to++) {
        const window = served.slice(from, to);
        const share = window.length / k;
        for (const tenant of waiting) {
          const got = window.filter((one) => one === tenant).length;
          expect(Math.abs(got - share)).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it('hold as many slots as each other, as far as they have runs', async () => {
    for (const tenant of tenants) await start(tenant, tenant === 'dan' ? 1 : 10);
    await slots.setLimit(10);
    await slots.wakeAndPromote();
    const held = await db.sql<{ tenant: string; count: number }>(
      `SELECT tenant_id AS tenant, count(*)::int AS count FROM run_heads WHERE slot = 'held' GROUP BY 1 ORDER BY 1`,
    );
    expect(held).toEqual([
      { tenant: 'ada', count: 3 },
      { tenant: 'bob', count: 3 },
      { tenant: 'cyd', count: 3 },
      { tenant: 'dan', count: 1 },
    ]);
  });

  it('are claimed by the time they wait, whoever started more before', async () => {
    await slots.setLimit(100);
    const first = await start('ada' as TenantId, 3);
    const second = await start('bob' as TenantId, 3);
    const claims = await db.store('ann').claim('ann', 6);
    expect(claims.map(({ lease }) => lease.runId)).toEqual([...first, ...second].map(({ runId }) => runId));
    expect(await slots.unclaimed()).toEqual([]);
  });

  it('are rung for by the time they wait, those that lost a worker first', async () => {
    await slots.setLimit(100);
    const [lost] = await start('ada' as TenantId, 1);
    await db.store('ann').claim('ann', 1);
    const waiting = [...(await start('ada' as TenantId, 1)), ...(await start('bob' as TenantId, 1))];
    await expireLease(db, lost!);
    await slots.expireLeases();
    const order = [lost!, ...waiting].map(({ runId }) => runId);
    expect((await slots.unclaimed()).map(({ runId }) => runId)).toEqual(order);
    const claims = await db.store('ben').claim('ben', 3);
    expect(claims.map(({ lease, wasLost }) => [lease.runId, wasLost])).toEqual(
      order.map((runId, i) => [runId, i === 0]),
    );
  });

  it('wake in the order of their moments, however many are due', async () => {
    await slots.setLimit(1_000);
    const late = await start('ada' as TenantId, 1);
    const soon = await start('bob' as TenantId, 1);
    const store = db.store('ann');
    for (const { lease } of await store.claim('ann', 2)) {
      const ago = lease.runId === soon[0]!.runId ? 60_000 : 1_000;
      const events = [anEvent({ event: 'run.parked', properties: {} })];
      await store.release(lease, { events, slot: 'parked', wakeAt: Date.now() - ago, state: null });
    }
    await db.sql(`UPDATE run_heads SET slot_since = now() - interval '5 minutes'`);
    await slots.setLimit(1);
    await slots.wakeAndPromote();
    const [held] = await db.sql<{ run_id: string }>(`SELECT run_id FROM run_heads WHERE slot = 'held'`);
    const waits = await db.sql<{ run_id: string; waited: number }>(
      `SELECT run_id, extract(epoch FROM now() - slot_since)::int AS waited FROM run_heads WHERE slot = 'queued'`,
    );
    expect([held!.run_id, ...waits.map(({ run_id }) => run_id)].sort()).toEqual(
      [...late, ...soon].map(({ runId }) => runId).sort(),
    );
    expect(waits[0]!.waited).toBeGreaterThanOrEqual(1);
  });
});
