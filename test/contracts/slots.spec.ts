import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease, Release, RunKey } from '#libs/engine';
import { Slots, type RunLedger } from '#libs/persistence';
import {
  aNewRun,
  anEvent,
  expireLease,
  runDatabase,
  started,
  storedLog,
  type RunDatabase,
} from '../support/run-database.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const parking = (wakeAt: number | null): Release => ({
  events: [anEvent({ event: 'run.running', properties: {} }), anEvent({ event: 'run.parked', properties: {} })],

  slot: 'parked',
  wakeAt,
  state: null,
});

describe('Slots', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let slots: Slots;
  beforeAll(async () => {
    db = await runDatabase();
    ledger = db.ledger();
    slots = new Slots(db.database, db.signals, db.clock);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await slots.setLimit(100);
  });

  async function leased(count: number): Promise<Lease[]> {
    const runs = await started(
      ledger,
      times(count, () => aNewRun()),
    );
    const claims = await db.store('ann').claim('ann', count, runs);
    return claims.map(({ lease }) => lease);
  }

  const park = (lease: Lease, wakeAt: number | null) => db.store('ann').release(lease, parking(wakeAt));
  const slotOf = async (run: RunKey) => (await ledger.head(run)).slot;

  it('wakes the parked runs whose moment has come, and no others', async () => {
    const [due, later, never] = await leased(3);
    await park(due!, Date.now() - 1_000);
    await park(later!, Date.now() + 60_000);
    await park(never!, null);
    await slots.wakeAndPromote();
    expect(await Promise.all([due!, later!, never!].map(slotOf))).toEqual(['held', 'parked', 'parked']);
  });

  it('lets a paused run rest, and knows when something of it is due', async () => {
    const [due, later] = await leased(2);
    const paused = anEvent({ event: 'run.paused', properties: {} });
    for (const [lease, wakeAt] of [
      [due!, Date.now() - 1_000],
      [later!, Date.now() + 60_000],
    ] as const) {
      await park(lease, null);
      await ledger.changeBy(lease, async () => ({ events: [paused], slot: 'parked', wakeAt }));
    }
    await slots.wakeAndPromote();
    expect(await Promise.all([due!, later!].map(slotOf))).toEqual(['parked', 'parked']);
    expect(await slots.duePaused()).toEqual([
      { tenantId: due!.tenantId, runId: due!.runId, dueAtMs: expect.any(Number) },
    ]);
  });

  it('knows the cancels that no worker hears', async () => {
    const [live, lost, quiet, unasked] = await leased(4);
    const wanted = anEvent({ event: 'run.cancel.requested', properties: { action: 'cancel' } });
    const ask = (run: RunKey) => ledger.changeBy(run, async () => ({ events: [wanted], pendingControl: 'cancel' }));
    await Promise.all([live!, lost!, quiet!].map(ask));
    const idle = (run: RunKey, seconds: number) =>
      db.sql(
        `UPDATE run_heads SET lease_expires_at = now() - $2 * interval '1 s', last_event_at = now() - $2 * interval '1 s'
          WHERE run_id = $1`,
        [run.runId, seconds],
      );
    await Promise.all([idle(lost!, 6), idle(quiet!, 3), idle(unasked!, 60)]);
    await slots.expireLeases();
    expect((await slots.outstanding()).unheardCancels).toBe(false);
    await db.sql(`UPDATE run_heads SET lost_at = lease_expires_at, slot_since = slot_since - interval '1 minute'`);
    expect((await slots.outstanding()).unheardCancels).toBe(true);
    expect(await slots.unheardCancels()).toEqual([{ tenantId: lost!.tenantId, runId: lost!.runId, epoch: 1 }]);
  });

  it('wakes a run without a new start, and tells workers of it', async () => {
    const [lease] = await leased(1);
    await park(lease!, Date.now() - 1_000);
    const logged = await storedLog(db, lease!);
    await slots.wakeAndPromote();
    expect(await storedLog(db, lease!)).toEqual(logged);
    expect((await ledger.head(lease!)).status).toBe('running');
    expect(db.signals.hints.at(-1)).toMatchObject({ runId: lease!.runId, epoch: 2 });
    const [claim] = await db.store('ben').claim('ben', 1, [lease!]);
    expect(claim).toMatchObject({ lease: { epoch: 2 }, wasLost: false });
  });

  it('lets a run that wakes go before those that became runnable after it', async () => {
    const [lease] = await leased(1);
    await park(lease!, Date.now() - 1_000);
    await slots.setLimit(1);
    const [first, second] = await started(ledger, [aNewRun(), aNewRun()]);
    expect(await slotOf(first!)).toBe('held');
    await slots.wakeAndPromote();
    const [claim] = await db.store('ann').claim('ann', 1, [first!]);
    await park(claim!.lease, null);
    expect(await Promise.all([lease!, second!].map(slotOf))).toEqual(['held', 'queued']);
  });

  it('keeps the limit when many wake at once and many processes look', async () => {
    const leases = await leased(40);
    for (const lease of leases) await park(lease, Date.now() - 1_000);
    await slots.setLimit(7);
    const others = times(6, () => new Slots(db.database, db.signals, db.clock));
    await Promise.all(others.map((each) => each.wakeAndPromote()));
    const counts = await db.sql<{ slot: string; count: number }>(
      'SELECT slot, count(*)::int AS count FROM run_heads GROUP BY slot ORDER BY slot',
    );
    expect(counts).toEqual([
      { slot: 'held', count: 7 },
      { slot: 'queued', count: 33 },
    ]);
  });

  it('fills the slots of a limit that was raised', async () => {
    await slots.setLimit(1);
    const runs = await started(ledger, [aNewRun(), aNewRun(), aNewRun()]);
    expect(await Promise.all(runs.map(slotOf))).toEqual(['held', 'queued', 'queued']);
    await slots.setLimit(3);
    await slots.wakeAndPromote();
    expect(await Promise.all(runs.map(slotOf))).toEqual(['held', 'held', 'held']);
    expect((await storedLog(db, runs[2]!)).map(({ event }) => event)).toEqual([
      'run.created',
      'run.submitted',
      'run.start_requested',
      'run.runnable',
      'run.starting',
    ]);
  });

  it('takes no slot away when the limit is lowered', async () => {
    const runs = await started(ledger, [aNewRun(), aNewRun()]);
    await slots.setLimit(1);
    await slots.wakeAndPromote();
    expect(await Promise.all(runs.map(slotOf))).toEqual(['held', 'held']);
  });

  it('knows when the next run wakes', async () => {
    expect((await slots.outstanding()).nextWakeMs).toBeNull();
    const [soon, later, never] = await leased(3);
    await park(never!, null);
    expect((await slots.outstanding()).nextWakeMs).toBeNull();
    await park(later!, Date.now() + 60_000);
    await park(soon!, Date.now() + 20_000);
    const inMs = (await slots.outstanding()).nextWakeMs;
    expect(inMs).toBeGreaterThan(15_000);
    expect(inMs).toBeLessThanOrEqual(20_000);
  });

  it('finds the runs that hold a slot and have no living worker', async () => {
    const [lost, driven] = await leased(2);
    const [fresh] = await started(ledger, [aNewRun()]);
    await expireLease(db, lost!);
    expect(await slots.expireLeases()).toBe(1);
    const hints = await slots.unclaimed();
    expect(hints).toEqual([
      { tenantId: lost!.tenantId, runId: lost!.runId, epoch: 2 },
      { ...fresh!, epoch: 1 },
    ]);
    expect(hints.map(({ runId }) => runId)).not.toContain(driven!.runId);
  });
});
