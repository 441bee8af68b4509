import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ulid } from 'ulid';
import type { RunKey } from '#libs/engine';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import {
  LogRetention,
  RunViews,
  StoredRuns,
  unreadableRuns,
  type RunLedger,
  type StoredRunFilter,
  type StoredRunRow,
} from '#libs/persistence';
import {
  addTenant,
  aNewRun,
  aNotice,
  runDatabase,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

let db: RunDatabase;
let ledger: RunLedger;
let runs: StoredRuns;
let views: RunViews;
beforeAll(async () => {
  db = await runDatabase();
  ledger = db.ledger();
  runs = new StoredRuns(db.database);
  views = new RunViews(db.database, db.cold);
});
afterAll(() => db.close());
beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

const created = async (): Promise<RunKey> => (await ledger.create(aNewRun())).run;
async function over(more: Parameters<typeof aNewRun>[0] = {}): Promise<RunKey> {
  const [run] = await started(ledger, [aNewRun(more)]);
  const [claim] = await db.store('ann').claim('ann', 1, [run!]);
  await db.store('ann').release(claim!.lease, { events: [theEnd()], slot: 'none', wakeAt: null, state: null });
  await views.catchUp([run!]);
  return run!;
}
const noted = (run: RunKey, count: number) =>
  ledger.note([run], () => ({ events: Array.from({ length: count }, () => aNotice('n')), result: null }));

async function all(filter?: StoredRunFilter): Promise<StoredRunRow[]> {
  const found: StoredRunRow[] = [];
  for await (const page of runs.list(DEFAULT_TENANT, filter)) found.push(...page.runs);
  return found;
}

describe('stored runs', () => {
  it('are counted for one tenant', async () => {
    const other = await addTenant(db, 'other', null);
    await Promise.all([over(), created(), over({ tenantId: other })]);
    await started(ledger, [aNewRun()]);
    expect(await runs.count(DEFAULT_TENANT)).toEqual({ total: 3, active: 2, held: 1 });
    expect(await runs.count(other)).toEqual({ total: 1, active: 0, held: 0 });
  });

  it('share the bytes of the tables by their events, and all tenants together take them whole', async () => {
    const [small, large] = [await over(), await over()];
    await noted(large, 100);
    const rows = new Map((await all()).map(({ runId, bytes }) => [runId, bytes]));
    const events = async (run: RunKey) => (await ledger.head(run)).lastSeq;
    const ratio = rows.get(large.runId)! / rows.get(small.runId)!;
    expect(ratio).toBeCloseTo((await events(large)) / (await events(small)), 1);

    const { bytes, bytesOver, definitions, definitionBytes } = await runs.measure(DEFAULT_TENANT);
    expect(bytesOver).toBe(bytes);
    expect([...rows.values()].reduce((sum, each) => sum + each, 0)).toBeCloseTo(bytes, -1);
    const [table] = await db.sql<{ bytes: string }>(
      "SELECT sum(pg_total_relation_size(relid)) AS bytes FROM pg_partition_tree('run_events') WHERE isleaf",
    );
    expect(bytes).toBeGreaterThan(Number(table!.bytes));
    expect(definitions).toBeGreaterThan(0);
    expect(definitionBytes).toBeGreaterThan(0);
  });

  it('are nothing where there are none', async () => {
    expect(await runs.measure(DEFAULT_TENANT)).toMatchObject({ total: 0, active: 0, bytes: 0, bytesOver: 0 });
    expect(await all()).toEqual([]);
  });

  it('are told apart: over, not over, gone', async () => {
    const [ended, waiting, gone] = [await over(), await created(), aNewRun().runId];
    expect(await runs.areOver(DEFAULT_TENANT, [ended.runId, waiting.runId, gone])).toEqual(
      new Map([
        [ended.runId, true],
        [waiting.runId, false],
      ]),
    );
  });

  describe('are found', () => {
    const found = async (filter: StoredRunFilter): Promise<RunId[]> => (await all(filter)).map(({ runId }) => runId);
    const show = (run: RunKey, changes: string) =>
      db.sql(`UPDATE run_views SET ${changes} WHERE run_id = $1`, [run.runId]);

    it('by being over, and by nothing else the oldest first', async () => {
      const [first, second, third] = [await over(), await created(), await over()];
      expect(await found({})).toEqual([first.runId, second.runId, third.runId]);
      expect(await found({ onlyOver: true })).toEqual([first.runId, third.runId]);
    });

    it('by the beginning of the date before which they were created', async () => {
      const run = await over();
      await show(run, "created_at = '2026-02-28T23:59:59.9Z'");
      const isFound = async (createdBefore: string) => (await found({ createdBefore })).length === 1;
      expect(await Promise.all(['2026', '2026-02', '2026-02-28', '2026-02-28T23:59:59Z'].map(isFound))).toEqual(
        Array(4).fill(false),
      );
      expect(await Promise.all(['2027', '2026-03', '2026-03-01', '2026-03-01T00'].map(isFound))).toEqual(
        Array(4).fill(true),
      );
    });

    it('by a part of the workflow, whatever characters it has', async () => {
      const run = await over();
      await show(run, "workflow = 'Release 100%_x'");
      expect(await found({ workflow: '100%_X' })).toEqual([run.runId]);
      expect(await found({ workflow: '%' })).toEqual([run.runId]);
      expect(await found({ workflow: 'release_' })).toEqual([]);
    });

    it('by all labels', async () => {
      const run = await over();
      await show(run, `view = jsonb_set(view::jsonb, '{labels}', '{"team":"web","n":"1"}')::json`);
      expect(await found({ labels: { team: 'web' } })).toEqual([run.runId]);
      expect(await found({ labels: { team: 'web', n: '2' } })).toEqual([]);
      expect(await found({ labels: {} })).toEqual([run.runId]);
    });

    it('by how long they rest', async () => {
      const run = await over();
      await db.sql("UPDATE run_heads SET last_event_at = now() - interval '2 hours' WHERE run_id = $1", [run.runId]);
      expect(await found({ restedForMs: 7_100_000 })).toEqual([run.runId]);
      expect(await found({ restedForMs: 7_300_000 })).toEqual([]);
      expect(await found({ restedForMs: 0 })).toEqual([run.runId]);
    });
  });
});

/** Moves the logs of runs that have been over for long. */
async function moveLogs(...moved: readonly RunKey[]): Promise<void> {
  await db.sql("UPDATE run_heads SET last_event_at = now() - interval '40 days' WHERE run_id = ANY($1)", [
    moved.map(({ runId }) => runId),
  ]);
  const log = { info: () => undefined, warn: () => undefined };
  await new LogRetention(db.database, views, db.objects, db.cold, { days: 30, log }).round();
}

const JANUARY_2024 = 1_704_100_000_000;
let oldRuns = 0;
const longOver = () => over({ runId: ulid(JANUARY_2024 + oldRuns++) as RunId });

it('a run whose log was moved shares no bytes of the tables', async () => {
  const [moved, kept] = [await longOver(), await over()];
  await moveLogs(moved);
  const rows = new Map((await all()).map(({ runId, bytes }) => [runId, bytes]));
  expect(rows.get(moved.runId)).toBe(0);
  expect(rows.get(kept.runId)).toBe((await runs.measure(DEFAULT_TENANT)).bytes);
});

describe('unreadable runs', () => {
  const unreadable = async () => {
    const found: [RunId, string][] = [];
    const places = { database: db.database, views, objects: db.objects };
    for await (const page of unreadableRuns(places, DEFAULT_TENANT)) {
      found.push(...page.unreadable.map(({ runId, error }): [RunId, string] => [runId, error]));
    }
    return found;
  };

  it('are none of those whose log is whole, however many there are', async () => {
    await Promise.all(Array.from({ length: 450 }, () => created()));
    expect(await unreadable()).toEqual([]);
  });

  it('are those whose log has a hole or lost its end', async () => {
    const [holed, cut, fine] = [await over(), await over(), await over()];
    await db.sql('DELETE FROM run_events WHERE run_id = $1 AND seq = 2', [holed.runId]);
    await db.sql('DELETE FROM run_events WHERE run_id = $1 AND seq > 3', [cut.runId]);
    const { lastSeq } = await ledger.head(fine);
    expect(await unreadable()).toEqual([
      [holed.runId, `Its log should have ${lastSeq} events and has ${lastSeq - 1}, up to ${lastSeq}.`],
      [cut.runId, `Its log should have ${lastSeq} events and has 3, up to 3.`],
    ]);
  });

  it('are those whose specification is gone', async () => {
    const run = await created();
    const [{ sha }] = (await db.sql<{ sha: string }>('SELECT spec_sha256 AS sha FROM runs WHERE id = $1', [
      run.runId,
    ])) as [{ sha: string }];
    await db.sql('UPDATE runs SET spec_sha256 = $2 WHERE id = $1', [run.runId, 'f'.repeat(64)]);
    expect(await unreadable()).toEqual([[run.runId, `Its specification ${'f'.repeat(64)} is missing.`]]);
    await db.sql('UPDATE runs SET spec_sha256 = $2 WHERE id = $1', [run.runId, sha]);
    expect(await unreadable()).toEqual([]);
  });

  it('are those whose log cannot be folded; one that is only behind is brought up to date', async () => {
    const [broken, behind] = [await created(), await created()];
    await noted(behind, 3);
    await db.sql(`UPDATE run_events SET body = '{"event":"run.created"}' WHERE run_id = $1 AND seq = 1`, [
      broken.runId,
    ]);
    await db.sql('UPDATE run_views SET seq = 0');
    await db.sql("UPDATE run_heads SET last_event_at = now() - interval '1 minute'");
    expect(await unreadable()).toEqual([[broken.runId, expect.stringContaining('cannot be folded')]]);
    const [view] = await db.sql<{ seq: number }>('SELECT seq::int FROM run_views WHERE run_id = $1', [behind.runId]);
    expect(view!.seq).toBe((await ledger.head(behind)).lastSeq);
  });

  it('are those whose moved log is gone or cut, and none of the others that were moved', async () => {
    const [fine, gone, cut] = [await longOver(), await longOver(), await longOver()];
    await moveLogs(fine, gone, cut);
    await noted(fine, 2);
    expect(await unreadable()).toEqual([]);
    const keyOf = async ({ tenantId, runId }: RunKey) => {
      for await (const { key } of db.objects.list(`${tenantId}/runs/${runId}/`)) return key;
      return '';
    };
    const [goneKey, cutKey] = [await keyOf(gone), await keyOf(cut)];
    await db.objects.deleteAll(`${DEFAULT_TENANT}/runs/${gone.runId}/`);
    await db.objects.put(cutKey, new Uint8Array(9));
    expect(await unreadable()).toEqual([
      [gone.runId, `Its log was moved to the object ${goneKey}, which is gone.`],
      [cut.runId, expect.stringContaining(`${cutKey}, has 9 bytes instead of`)],
    ]);
  });
});
