import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';
import {
  addTenant,
  aNewRun,
  aNotice,
  anEvent,
  runDatabase,
  someone,
  started,
  storedLog,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const running = anEvent({ event: 'run.running', properties: {} });

describe('Changes of a run', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  beforeAll(async () => {
    db = await runDatabase(16);
    ledger = db.ledger();
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

  async function submitted(more: Parameters<typeof aNewRun>[0] = {}): Promise<RunKey> {
    const run = aNewRun(more);
    await ledger.create(run);
    return { tenantId: run.tenantId, runId: run.runId };
  }

  const headOf = async ({ runId }: RunKey) =>
    (
      await db.sql<{ slot: string; seq: number | null }>(
        'SELECT slot, runnable_seq::int AS seq FROM run_heads WHERE run_id = $1',
        [runId],
      )
    )[0];

  it('wait for nobody who moves slots: answers, notes, links, ends and queuing', async () => {
    const [parent, child] = [await submitted(), await submitted()];
    const [parked] = await started(ledger, [aNewRun()]);
    const [claim] = await db.store('ann').claim('ann', 1, [parked!]);
    await db.store('ann').release(claim!.lease, { events: [running], slot: 'parked', wakeAt: null, state: null });
    const mover = await db.session();
    try {
      await mover.query('BEGIN');
      await mover.query('SELECT FROM scheduler FOR UPDATE');
      await ledger.changeBy(parked!, async (_, load) => ({ events: [aNotice(`${(await load()).tail.length}`)] }));
      await ledger.note([child], () => ({ events: [aNotice('b')], result: undefined }));
      await ledger.link({ ...child, parentId: parent.runId, actor: someone });
      await ledger.changeBy(child, async () => ({ events: [running, theEnd()], slot: 'none' }));
      const queuing = ledger.changeBy(parked!, async () => ({ events: [aNotice('c')], slot: 'queued' }));
      // It is stored before it waits for its turn to give the run a slot.
      for (let slot = 'parked'; slot === 'parked';) slot = (await headOf(parked!))!.slot;
      expect((await headOf(parked!))!.slot).toBe('queued');
      await mover.query('ROLLBACK');
      await queuing;
      expect((await headOf(parked!))!.slot).toBe('held');
    } finally {
      await mover.end();
    }
  });

  it('hold no lock while they read and decide', async () => {
    const [run] = await started(ledger, [aNewRun()]);
    const [claim] = await db.store('ann').claim('ann', 1, [run!]);
    const store = db.store('ann');
    let asked = 0;
    await ledger.changeBy(run!, async (_, load) => {
      await load();
      if (asked++ === 0) await store.append(claim!.lease, { events: [running] });
      return { events: [aNotice(`asked ${asked} times`)] };
    });
    expect(asked).toBe(2);
    const log = await storedLog(db, run!);
    expect(log.map(({ event }) => event).slice(-2)).toEqual(['run.running', 'run.notice']);
  });

  it('come through beside a worker that appends all the time', async () => {
    const [run] = await started(ledger, [aNewRun()]);
    const store = db.store('ann');
    const [claim] = await store.claim('ann', 1, [run!]);
    let done = false;
    const appending = (async () => {
      while (!done) await store.append(claim!.lease, { events: [aNotice('busy')] });
    })();
    await ledger.changeBy(run!, async (_, load) => {
      const { tail } = await load();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { events: [aNotice(`after ${tail.length}`)] };
    });
    done = true;
    await appending;
    const log = await storedLog(db, run!);
    const bodies = await db.sql<{ seq: number; message: string }>(
      `SELECT seq::int, body->'properties'->>'message' AS message FROM run_events WHERE run_id = $1 AND epoch IS NULL ORDER BY seq`,
      [run!.runId],
    );
    const said = bodies.at(-1)!;
    // What it decided on is all that was there before it.
    expect(said.message).toBe(`after ${said.seq - 1}`);
    expect(log.map(({ seq }) => seq)).toEqual(times(log.length, (n) => n + 1));
  });

  it('of one run take turns, each seeing what the one before did', async () => {
    const run = await submitted();
    await Promise.all(
      times(40, () =>
        ledger.changeBy(run, async (_, load) => ({ events: [aNotice(`after ${(await load()).tail.length}`)] })),
      ),
    );
    const rows = await db.sql<{ seq: number; message: string }>(
      `SELECT seq::int, body->'properties'->>'message' AS message FROM run_events WHERE run_id = $1 AND event = 'run.notice' ORDER BY seq`,
      [run.runId],
    );
    expect(rows.map(({ seq, message }) => message === `after ${seq - 1}`)).toEqual(times(40, () => true));
  });

  it('that queue a run for the first time give it the next place in the order of starts', async () => {
    const tenantId: TenantId = await addTenant(db, 'places', null);
    const resumed = await submitted({ tenantId });
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 1');
    const runs = times(3, () => aNewRun({ tenantId }));
    await started(ledger, runs.slice(0, 2));
    await ledger.changeBy(resumed, async () => ({
      events: [anEvent({ event: 'run.runnable', properties: { source: 'start_requested' } })],
      slot: 'queued',
    }));
    await started(ledger, runs.slice(2));
    const order = await db.sql<{ run_id: RunId; seq: number }>(
      `SELECT run_id, runnable_seq::int AS seq FROM run_heads WHERE tenant_id = $1 ORDER BY runnable_seq`,
      [tenantId],
    );
    expect(order).toEqual([
      { run_id: runs[0]!.runId, seq: 1 },
      { run_id: runs[1]!.runId, seq: 2 },
      { run_id: resumed.runId, seq: 3 },
      { run_id: runs[2]!.runId, seq: 4 },
    ]);
  });
});
