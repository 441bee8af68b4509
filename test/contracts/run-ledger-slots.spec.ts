import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Release, RunKey } from '#libs/engine';
import { DEFAULT_TENANT, type TenantId } from '#libs/kernel';
import { DatabaseUnavailableError, LOCK_SLOTS, Slots, type RunLedger } from '#libs/persistence';
import {
  addTenant,
  aNewRun,
  anEvent,
  runDatabase,
  someone,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';
import { until } from '../support/until.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const ending: Release = { events: [], slot: 'none', wakeAt: null, state: null };

describe('The slots that starts and ends share', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  beforeAll(async () => {
    db = await runDatabase(16);
    ledger = db.ledger();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await limit(5);
  });

  const limit = (runs: number) => db.sql('UPDATE scheduler SET max_concurrent_runs = $1', [runs]);
  const start = ({ tenantId, runId }: RunKey) => ledger.start({ tenantId, runId, actor: someone });

  async function countOf(rows: string): Promise<number> {
    const [row] = await db.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${rows}`);
    return row!.count;
  }

  async function slotsOf(tenantId: string): Promise<Record<string, number>> {
    const rows = await db.sql<{ slot: string; count: number }>(
      'SELECT slot, count(*)::int AS count FROM run_heads WHERE tenant_id = $1 GROUP BY slot',
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ slot, count }) => [slot, count]));
  }

  /** Works like a worker that ends every run it gets, until nothing is held or queued any more. */
  async function drive(owner: string, onClaim: (run: RunKey) => void = () => undefined): Promise<void> {
    const store = db.store(owner);
    for (;;) {
      const claims = await store.claim(owner, 3);
      for (const { lease } of claims) onClaim(lease);
      await pause(Math.random() * 4);
      for (const { lease } of claims) {
        const running = anEvent({ event: 'run.running', properties: {} });
        await store.release(lease, { ...ending, events: [running, theEnd()] });
      }
      if (claims.length > 0) continue;
      if ((await countOf(`run_heads WHERE slot IN ('held', 'queued')`)) === 0) return;
      await pause(2);
    }
  }

  /** The most runs that ever held a slot, as another session sees it, while `work` goes on. */
  async function mostHeld(work: Promise<unknown>): Promise<{ most: number; looks: number }> {
    let most = 0;
    let looks = 0;
    let on = true;
    const watch = (async () => {
      while (on) {
        most = Math.max(most, await countOf(`run_heads WHERE slot = 'held'`));
        looks++;
      }
    })();
    await work.finally(() => (on = false));
    await watch;
    return { most, looks };
  }

  it('are there for others soon after a process froze while it moved them', async () => {
    const other = aNewRun();
    await ledger.create(other);
    let thaw = (): void => undefined;
    const freezing = new Promise<void>((resolve) => (thaw = resolve));
    const stuck = db.database.transaction(() => freezing, LOCK_SLOTS);
    const holders = `pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
    await until(async () => (await countOf(holders)) === 1, 'it has them');
    await db.ledger().start({ ...other, actor: someone });
    thaw();
    await expect(stuck).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });

  it('are given out in the order in which the starts committed', async () => {
    const runs = times(60, () => aNewRun());
    await Promise.all(runs.map((run) => ledger.create(run)));
    await limit(1);
    const starts = (async () => {
      const begun: Promise<void>[] = [];
      for (const run of runs) {
        begun.push(start(run));
        if (Math.random() < 0.3) await pause(2);
      }
      await Promise.all(begun);
    })();
    await Promise.all([starts, drive('ann'), drive('ben')]);
    await drive('ann');
    const order = await db.sql<{ run_id: string }>(`SELECT run_id FROM run_heads ORDER BY runnable_seq`);
    expect(order.map(({ run_id }) => run_id)).toEqual(runs.map(({ runId }) => runId));
    const promoted = await db.sql<{ run_id: string }>(
      `SELECT run_id FROM run_events WHERE event = 'run.starting' ORDER BY stored_at`,
    );
    expect(promoted.map(({ run_id }) => run_id)).toEqual(runs.map(({ runId }) => runId));
  });

  it('keep the limit at every instant while four actors start and end a hundred runs', async () => {
    const runs = times(100, () => aNewRun());
    await Promise.all(runs.map((run) => ledger.create(run)));
    const slots = new Slots(db.database, db.signals, db.clock);
    const servers = [ledger, db.ledger()];
    const starts = Promise.all(
      runs.map(async (run, n) => {
        await pause(Math.random() * 400);
        await servers[n % 2]!.start({ ...run, actor: someone });
      }),
    );
    const isDone = async (): Promise<boolean> => (await countOf(`run_heads WHERE status = 'succeeded'`)) === 100;
    const upkeep = async (): Promise<void> => {
      while (!(await isDone())) {
        await slots.wakeAndPromote();
        await pause(3);
      }
    };
    const actor = async (n: number): Promise<void> => {
      while (!(await isDone())) await drive(`actor-${n}`);
    };
    const { most, looks } = await mostHeld(Promise.all([starts, upkeep(), ...times(4, actor)]));
    expect(most).toBe(5);
    expect(looks).toBeGreaterThan(50);
  });

  it('keep the limit of a tenant beside the limit of the server', async () => {
    const small = await addTenant(db, 'small', 2);
    await limit(4);
    await started(
      ledger,
      times(6, () => aNewRun({ tenantId: small })),
    );
    expect(await slotsOf(small)).toEqual({ held: 2, queued: 4 });
    await started(
      ledger,
      times(6, () => aNewRun()),
    );
    expect(await slotsOf(DEFAULT_TENANT)).toEqual({ held: 2, queued: 4 });
    await drive('ann');
    expect(await slotsOf(small)).toEqual({ none: 6 });
  });

  it('are shared fairly with a tenant that floods', async () => {
    const [flood, drop] = [await addTenant(db, 'flood', null), await addTenant(db, 'drop', null)];
    await limit(4);
    await started(
      ledger,
      times(200, () => aNewRun({ tenantId: flood })),
    );
    await started(
      ledger,
      times(10, () => aNewRun({ tenantId: drop })),
    );
    const claims: TenantId[] = [];
    await Promise.all(times(2, (n) => drive(`worker-${n}`, ({ tenantId }) => claims.push(tenantId))));
    const last = claims.lastIndexOf(drop);
    const flooded = claims.slice(0, last).filter((tenant) => tenant === flood).length;
    expect(claims).toHaveLength(210);
    expect(flooded).toBeLessThanOrEqual(24);
  });
});
