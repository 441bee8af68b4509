import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Lease } from '#libs/engine';
import type { TenantId } from '#libs/kernel';
import { Slots } from '#libs/persistence';
import { keyOf, promotedBetween, readHeads, waiting, type Board } from '../model/heads.js';
import { addTenant, aNewRun, runDatabase, started, theEnd, type RunDatabase } from '../support/run-database.js';

/** Tenants with a backlog, each with the number of runs that it ever started before. */
const backlogs = fc.record({
  tenants: fc.array(
    fc.record({ runs: fc.integer({ min: 6, max: 10 }), before: fc.integer({ min: 1, max: 1_000_000 }) }),
    {
      minLength: 2,
      maxLength: 4,
    },
  ),
  limit: fc.integer({ min: 1, max: 5 }),
});

/** What one step gave to whom, and whether everybody still waited afterwards. */
interface Given {
  tenants: readonly string[];
  allWait: boolean;
}

describe('Tenants that have a backlog', () => {
  let db: RunDatabase;
  let slots: Slots;
  let names = 0;
  beforeAll(async () => {
    db = await runDatabase();
    slots = new Slots(db.database, db.signals, db.clock);
  });
  afterAll(() => db.close());

  it('each get their share of the slots that are given out, give or take one, over any time', async () => {
    await fc.assert(
      fc.asyncProperty(backlogs, async ({ tenants, limit }) => {
        const names = await waitingBehind(limit, tenants);
        const steps = await giveOut(limit, names);
        expect(unfairIn(steps, names)).toEqual([]);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  /** All slots are taken by others while the backlogs grow, one tenant after another. */
  async function waitingBehind(limit: number, tenants: readonly { runs: number; before: number }[]): Promise<string[]> {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await slots.setLimit(limit);
    const ledger = db.ledger();
    const others = await addTenant(db, `others-${names++}`, null);
    await started(
      ledger,
      Array.from({ length: limit }, () => aNewRun({ tenantId: others })),
    );
    const added: string[] = [];
    for (const { runs, before } of tenants) {
      const tenantId: TenantId = await addTenant(db, `tenant-${names++}`, null);
      await db.sql('UPDATE tenants SET next_runnable_seq = $2 WHERE id = $1', [tenantId, before]);
      await started(
        ledger,
        Array.from({ length: runs }, () => aNewRun({ tenantId })),
      );
      added.push(tenantId);
    }
    return added;
  }

  /** Slots are given back one at a time, and every run keeps its slot for the same number of steps. */
  async function giveOut(limit: number, names: readonly string[]): Promise<Given[]> {
    const store = db.store('ann');
    const working: Lease[] = [];
    const steps: Given[] = [];
    let before = await boardOf(limit);
    while (steps.at(-1)?.allWait !== false) {
      working.push(...(await store.claim('ann', limit)).map(({ lease }) => lease));
      await store.release(working.shift()!, { events: [theEnd()], slot: 'none', wakeAt: null, state: null });
      await slots.wakeAndPromote();
      const after = await boardOf(limit);
      const wait = waiting(after);
      const tenants = promotedBetween(before, after).map(({ tenantId }) => String(tenantId));
      steps.push({ tenants, allWait: names.every((name) => wait.has(name)) });
      before = after;
    }
    return steps;
  }

  async function boardOf(limit: number): Promise<Board> {
    const heads = await readHeads(db);
    return { heads: new Map(heads.map((head) => [keyOf(head), head])), limit, tenantLimits: new Map() };
  }
});

/** Every window of steps, while all wait, in which one of the tenants got more or less than its share, give or take one. */
function unfairIn(steps: readonly Given[], names: readonly string[]): string[] {
  const faults: string[] = [];
  for (let from = 0; from < steps.length; from++) {
    for (let to = from; to < steps.length && steps[to]!.allWait; to++) {
      const served = steps.slice(from, to + 1).flatMap(({ tenants }) => tenants);
      for (const name of names) {
        const count = served.filter((tenant) => tenant === name).length;
        if (Math.abs(count - served.length / names.length) > 1) {
          faults.push(`steps ${from} to ${to}: ${name} got ${count} of ${served.length}`);
        }
      }
    }
  }
  return faults;
}
