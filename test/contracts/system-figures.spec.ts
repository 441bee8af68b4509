import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease, RunKey } from '#libs/engine';
import { readSystemFigures, Slots, STUCK_AFTER_S, WorkerPresence, type RunLedger } from '#libs/persistence';
import { addTenant, aNewRun, anEvent, runDatabase, started, type RunDatabase } from '../support/run-database.js';

const NOTHING = {
  slots: { limit: 100, held: 0, queued: 0, parked: 0 },
  leases: { held: 0, expired: 0 },
  waiting: { forSlotMs: 0, forWorkerMs: 0 },
  stuck: { queued: 0, parked: 0, held: 0, cancelled: 0 },
  workers: { alive: 0, missing: 0 },
  views: { comparedAgoMs: 0, mended: 0, mendedAgoMs: null },
};
const LONG_S = STUCK_AFTER_S + 10;

describe('the figures of the system', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let slots: Slots;
  const presences: WorkerPresence[] = [];
  beforeAll(async () => {
    db = await runDatabase();
    ledger = db.ledger();
    slots = new Slots(db.database, db.signals, db.clock);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await db.sql('UPDATE view_check SET began_at = now(), ended_at = NULL, mended = 0, mended_at = NULL');
    await slots.setLimit(100);
  });
  afterEach(async () => {
    await Promise.all(presences.splice(0).map((presence) => presence.close()));
  });

  const figures = () => readSystemFigures(db.database);
  const begun = (count: number) =>
    started(
      ledger,
      Array.from({ length: count }, () => aNewRun()),
    );
  const claimed = async (runs: readonly RunKey[]): Promise<Lease[]> =>
    (await db.store('ann').claim('ann', runs.length, runs)).map(({ lease }) => lease);
  const set = (run: RunKey | undefined, changes: string) =>
    db.sql(`UPDATE run_heads SET ${changes} WHERE run_id = $1`, [run!.runId]);
  const ago = (seconds: number) => `now() - interval '${seconds} seconds'`;
  async function park(lease: Lease | undefined, wakeAt: number | null): Promise<void> {
    const events = [anEvent({ event: 'run.parked', properties: {} })];
    await db.store('ann').release(lease!, { events, slot: 'parked', wakeAt, state: null });
  }

  it('are all nothing on a server that rests, whatever it has done before', async () => {
    await ledger.create(aNewRun());
    expect(await figures()).toEqual({ ...NOTHING, views: { ...NOTHING.views, comparedAgoMs: expect.any(Number) } });
  });

  it('count slots and leases', async () => {
    await slots.setLimit(2);
    const [first, second] = await begun(3);
    const [, lease] = await claimed([first!, second!]);
    await park(lease, null);
    expect(await figures()).toMatchObject({
      slots: { limit: 2, held: 2, queued: 0, parked: 1 },
      leases: { held: 1, expired: 0 },
      stuck: NOTHING.stuck,
    });
  });

  it('tell how long the oldest run waits for a slot, also one that woke', async () => {
    await slots.setLimit(1);
    const [first, second] = await begun(2);
    await set(second, `slot_since = ${ago(20)}`);
    const { forSlotMs } = (await figures()).waiting;
    expect(forSlotMs).toBeGreaterThanOrEqual(20_000);
    expect(forSlotMs).toBeLessThan(25_000);

    const [lease] = await claimed([first!]);
    await park(lease, Date.now() - 3_000);
    await set(first, `slot_since = ${ago(3_600)}`);
    await set(second, 'slot_since = now()');
    await slots.wakeAndPromote();
    const woken = (await figures()).waiting.forSlotMs;
    expect(woken).toBeGreaterThanOrEqual(3_000);
    expect(woken).toBeLessThan(8_000);
  });

  it('tell how long the oldest run with a slot waits for a worker, also one whose worker was lost', async () => {
    const [waiting, lost] = await begun(2);
    await set(waiting, `slot_since = ${ago(5)}`);
    expect((await figures()).waiting).toMatchObject({ forSlotMs: 0, forWorkerMs: expect.any(Number) });
    expect((await figures()).waiting.forWorkerMs).toBeGreaterThanOrEqual(5_000);

    await claimed([waiting!, lost!]);
    expect((await figures()).waiting.forWorkerMs).toBe(0);
    await set(lost, `lease_expires_at = ${ago(7)}`);
    const { leases, waiting: age } = await figures();
    expect(leases).toEqual({ held: 1, expired: 1 });
    expect(age.forWorkerMs).toBeGreaterThanOrEqual(7_000);
  });

  it('count as stuck what nobody moves, and nothing before its time', async () => {
    const [held, cancelled, parked] = await begun(3);
    const leases = await claimed([held!, cancelled!, parked!]);
    await park(leases[2], Date.now() - 1_000);
    await set(held, `lease_expires_at = ${ago(5)}`);
    await set(cancelled, `pending_control = 'cancel', last_event_at = ${ago(5)}`);
    expect((await figures()).stuck).toEqual(NOTHING.stuck);

    await set(held, `lease_expires_at = ${ago(LONG_S)}`);
    await set(cancelled, `last_event_at = ${ago(LONG_S)}`);
    await set(parked, `wake_at = ${ago(LONG_S)}`);
    expect((await figures()).stuck).toEqual({ queued: 0, parked: 1, held: 1, cancelled: 1 });
  });

  it('count a queued run as stuck only while server and tenant have a free slot', async () => {
    const limited = await addTenant(db, 'limited', 1);
    await slots.setLimit(2);
    await begun(1);
    await started(ledger, [aNewRun({ tenantId: limited }), aNewRun({ tenantId: limited })]);
    await db.sql(`UPDATE run_heads SET slot_since = ${ago(LONG_S)} WHERE slot = 'queued'`);
    expect(await figures()).toMatchObject({ slots: { held: 2, queued: 1 }, stuck: { queued: 0 } });

    await slots.setLimit(3);
    expect((await figures()).stuck.queued).toBe(0);
    await db.sql("UPDATE tenants SET max_concurrent_runs = NULL WHERE id = 'limited'");
    expect((await figures()).stuck.queued).toBe(1);
  });

  it('count workers that live and those that vanished', async () => {
    for (const id of ['ann', 'ben']) {
      const presence = new WorkerPresence(db.connectionString, id);
      presences.push(presence);
      await presence.announce();
    }
    await db.sql("INSERT INTO workers (id) VALUES ('carl')");
    expect((await figures()).workers).toEqual({ alive: 2, missing: 1 });
    await db.sql("DELETE FROM workers WHERE id = 'carl'");
  });

  it('tell when read models were compared, and how often one was wrong', async () => {
    await db.sql(`UPDATE view_check SET began_at = ${ago(60)}`);
    expect((await figures()).views.comparedAgoMs).toBeGreaterThanOrEqual(60_000);
    await db.sql(`UPDATE view_check SET ended_at = ${ago(20)}, mended = 2, mended_at = ${ago(30)}`);
    const { comparedAgoMs, mended, mendedAgoMs } = (await figures()).views;
    expect([Math.floor(comparedAgoMs / 10_000), mended, Math.floor(mendedAgoMs! / 10_000)]).toEqual([2, 2, 3]);
  });
});
