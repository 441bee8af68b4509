import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import {
  applyToRunView,
  applyToStageViews,
  beginRunView,
  decodeEvent,
  type EventEnvelope,
  type RunEvent,
  type RunView,
  type StageView,
  type Timing,
} from '#libs/events';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import {
  RunReader,
  RunViews,
  type BoardColumn,
  type NewRun,
  type RunLedger,
  type RunListing,
  type RunOrder,
} from '#libs/persistence';
import { RunNotFoundError } from '#libs/runs';
import {
  addTenant,
  aNewRun,
  aNotice,
  anEvent,
  runDatabase,
  someone,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const timing: Timing = { wall_time_ms: 3, inference_time_ms: 0, tool_time_ms: 2, active_time_ms: 2 };

const ALL: readonly BoardColumn[] = ['pending', 'runnable', 'initializing', 'running', 'succeeded', 'failed'];

/** The events of one stage: started, tried again now and then, completed or left open. */
function stage(n: number, isLeftOpen: boolean): RunEvent[] {
  const about = { node_id: `node${n}`, stage_id: `node${n}@1` };
  const begin = { index: n, handler_type: 'command', max_attempts: 2, graph_visit: 1, attempt_id: `a${n}`, epoch: 1 };
  const failure = { message: 'no', category: 'deterministic' as const };
  const events: RunEvent[] = [{ event: 'stage.started', ...about, properties: { ...begin, attempt: 1 } }];
  if (n % 3 === 0) {
    events.push(
      { event: 'stage.failed', ...about, properties: { index: n, failure, will_retry: true, timing } },
      { event: 'stage.started', ...about, properties: { ...begin, attempt: 2 } },
    );
  }
  if (isLeftOpen) return events;
  const end = { index: n, attempt: 1, max_attempts: 2, timing, status: 'succeeded' as const };
  return [...events, { event: 'stage.completed', ...about, properties: end }];
}

describe('The views of runs', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let views: RunViews;
  let reader: RunReader;
  beforeAll(async () => {
    db = await runDatabase(12);
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
    ledger = db.ledger();
    views = new RunViews(db.database, db.cold);
    reader = new RunReader(db.database, views);
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

  const append = (run: RunKey, events: readonly RunEvent[]) =>
    ledger.changeBy(run, async () => ({ events: events.map(anEvent) }));

  async function aRun(): Promise<RunKey> {
    const [run] = await started(ledger, [aNewRun()]);
    return run!;
  }

  /** What the rows hold. */
  async function stored({ runId }: RunKey): Promise<{ seq: number; view: RunView; stages: StageView[] }> {
    const [row] = await db.sql<{ seq: number; view: RunView }>(
      'SELECT seq::int, view FROM run_views WHERE run_id = $1',
      [runId],
    );
    const stages = await db.sql<{ view: StageView }>(
      'SELECT view FROM stage_views WHERE run_id = $1 ORDER BY first_seq',
      [runId],
    );
    return { ...row!, stages: stages.map(({ view }) => view) };
  }

  /** What the rows have to hold: the fold of the whole log, in one go. */
  async function foldedFromTheLog({ runId }: RunKey): Promise<{ seq: number; view: RunView; stages: StageView[] }> {
    const log = await db.sql<{ seq: number; body: string }>(
      'SELECT seq::int, body::text FROM run_events WHERE run_id = $1 ORDER BY seq',
      [runId],
    );
    const [created, ...rest] = log.map(({ seq, body }) => decodeEvent(seq, body));
    const stages = new Map<string, StageView>();
    const isOpen = (stage: StageView): boolean => stage.ended_at === null;
    const fold = (view: RunView, envelope: EventEnvelope): RunView => {
      const open = (): StageView[] => [...stages.values()].filter(isOpen);
      for (const stage of applyToStageViews(envelope, (id) => stages.get(id), open)) stages.set(stage.id, stage);
      return applyToRunView(view, envelope);
    };
    return { seq: log.length, view: rest.reduce(fold, beginRunView(created!)), stages: [...stages.values()] };
  }

  describe('catchUp', () => {
    it('stores the fold of the log, in however many steps', async () => {
      const run = await aRun();
      await append(run, [{ event: 'run.running', properties: {} }]);
      for (let n = 0; n < 9; n++) {
        await append(run, stage(n, n % 4 === 3));
        if (n % 2) await views.catchUp([run]);
      }
      await ledger.changeBy(run, async () => ({ events: [theEnd()], slot: 'none' }));
      await views.catchUp([run]);
      const rows = await stored(run);
      expect(rows).toEqual(await foldedFromTheLog(run));
      expect(rows.view.status.kind).toBe('succeeded');
      expect(rows.stages).toHaveLength(9);
    });

    it('folds a log of several pages', async () => {
      const run = await aRun();
      await append(
        run,
        times(4_500, (n) => ({ ...aNotice(`${n}`) })),
      );
      await append(run, stage(0, false));
      await views.catchUp([run]);
      expect(await stored(run)).toEqual(await foldedFromTheLog(run));
    });

    it('folds nothing twice when eight call it while the log grows', async () => {
      const runs = await Promise.all(times(4, aRun));
      let on = true;
      const keepers = times(8, async (n) => {
        const mine = new RunViews(db.database, db.cold);
        while (on) await mine.catchUp(n % 2 ? runs : runs.toReversed());
      });
      for (let n = 0; n < 40; n++) await Promise.all(runs.map((run) => append(run, stage(n, n % 5 === 0))));
      on = false;
      await Promise.all(keepers);
      await views.catchUp(runs);
      for (const run of runs) {
        const rows = await stored(run);
        expect(rows).toEqual(await foldedFromTheLog(run));
        // Every completed stage adds 2 ms and every retried one 2 ms more: twice the events would be twice the time.
        expect(rows.view.timing.tool_time_ms).toBe(2 * (32 + 14));
      }
    });

    it('does nothing for runs that are not behind or do not exist', async () => {
      const run = await aRun();
      await views.catchUp([run]);
      const before = await stored(run);
      await views.catchUp([run, { ...run, runId: aNewRun().runId }]);
      await views.catchUp([]);
      expect(await stored(run)).toEqual(before);
    });

    it('closes what a failed run leaves open', async () => {
      const run = await aRun();
      await append(run, [{ event: 'run.running', properties: {} }, ...stage(1, true)]);
      await views.catchUp([run]);
      const failure = { reason: 'cancelled' as const, detail: { message: 'no', category: 'canceled' as const } };
      await append(run, [{ event: 'run.failed', properties: { failure, timing } }]);
      await views.catchUp([run]);
      const rows = await stored(run);
      expect(rows).toEqual(await foldedFromTheLog(run));
      expect(rows.stages.map(({ status }) => status)).toEqual(['cancelled']);
    });
  });

  it('rebuild gives the same rows', async () => {
    const run = await aRun();
    await append(run, [{ event: 'run.running', properties: {} }]);
    for (let n = 0; n < 6; n++) {
      await append(run, stage(n, n === 4));
      await views.catchUp([run]);
    }
    const before = await stored(run);
    const columns = () => db.sql('SELECT title, workflow, created_at, updated_at FROM run_views');
    const sorting = await columns();
    await db.sql(`UPDATE run_views SET view = '{}', title = 'wrong'`);
    await views.rebuild(run);
    expect(await stored(run)).toEqual(before);
    expect(await columns()).toEqual(sorting);
  });

  describe('get', () => {
    it('is exact, with and without a tail', async () => {
      const run = await aRun();
      await append(run, [{ event: 'run.running', properties: {} }]);
      const withTail = (await reader.get(run)).view;
      expect((await stored(run)).seq).toBe(2);
      await views.catchUp([run]);
      expect((await stored(run)).seq).toBe(6);
      const withoutTail = (await reader.get(run)).view;
      expect(withTail).toEqual((await foldedFromTheLog(run)).view);
      expect(withoutTail).toEqual(withTail);
      expect(withTail.status.kind).toBe('running');
    });

    it('stores a long tail first', async () => {
      const run = await aRun();
      await append(
        run,
        times(700, (n) => aNotice(`${n}`)),
      );
      await append(run, stage(0, false));
      expect((await reader.get(run)).view).toEqual((await foldedFromTheLog(run)).view);
      expect((await stored(run)).seq).toBe(709);
    });

    it('is exact while views are rebuilt', async () => {
      const run = await aRun();
      await append(run, times(6, (n) => stage(n, false)).flat());
      await views.catchUp([run]);
      await db.sql('UPDATE run_views SET seq = 0');
      expect((await reader.get(run)).view).toEqual((await foldedFromTheLog(run)).view);
    });

    it('tells the place in the queue and the number of children', async () => {
      await db.sql('UPDATE scheduler SET max_concurrent_runs = 1');
      const [first, second, third] = await started(
        ledger,
        times(3, () => aNewRun()),
      );
      const parentId = second!.runId;
      await Promise.all(times(2, () => ledger.create(aNewRun({ parentId }))));
      await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
      expect(await reader.get(first!)).toMatchObject({ queuePosition: null, childrenCount: 0 });
      expect(await reader.get(second!)).toMatchObject({ queuePosition: 1, childrenCount: 2 });
      expect(await reader.get(third!)).toMatchObject({ queuePosition: 2, childrenCount: 0 });
    });

    it('refuses what does not exist', async () => {
      const missing = { tenantId: DEFAULT_TENANT, runId: aNewRun().runId };
      await expect(reader.get(missing)).rejects.toBeInstanceOf(RunNotFoundError);
    });
  });

  describe('list', () => {
    const listing = (more: Partial<RunListing> = {}): RunListing => ({
      columns: ALL,
      parentId: null,
      order: 'created_at',
      direction: 'asc',
      limit: 100,
      offset: 0,
      ...more,
    });

    async function titles(more: Partial<RunListing> = {}): Promise<string[]> {
      const { runs } = await reader.list(DEFAULT_TENANT, listing(more));
      return runs.map(({ view }) => view.title);
    }

    /** Beta is the oldest and runs; alpha waits for its start; gamma is the newest and has ended. */
    async function threeRuns(): Promise<Record<'beta' | 'alpha' | 'gamma', NewRun>> {
      const next = async (title: string): Promise<NewRun> => {
        await new Promise((resolve) => setTimeout(resolve, 3));
        const run = aNewRun({ title });
        await ledger.create(run);
        return run;
      };
      const runs = { beta: await next('beta'), alpha: await next('alpha'), gamma: await next('gamma') };
      const running: RunEvent = { event: 'run.running', properties: {} };
      const begun: RunEvent = { event: 'run.started', properties: { name: 'g' } };
      await ledger.start({ ...runs.beta, actor: someone });
      await append(runs.beta, [running, begun]);
      await ledger.start({ ...runs.gamma, actor: someone });
      await ledger.changeBy(runs.gamma, async () => ({
        events: [anEvent(running), anEvent(begun), theEnd()],
        slot: 'none',
      }));
      await views.catchUp(Object.values(runs));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return runs;
    }

    it.each<{ order: RunOrder; ascending: string[] }>([
      { order: 'created_at', ascending: ['beta', 'alpha', 'gamma'] },
      { order: 'updated_at', ascending: ['alpha', 'beta', 'gamma'] },
      { order: 'status', ascending: ['alpha', 'beta', 'gamma'] },
      { order: 'elapsed', ascending: ['gamma', 'beta', 'alpha'] },
      { order: 'title', ascending: ['alpha', 'beta', 'gamma'] },
    ])('orders by $order, both ways', async ({ order, ascending }) => {
      await threeRuns();
      expect(await titles({ order })).toEqual(ascending);
      expect(await titles({ order, direction: 'desc' })).toEqual(ascending.toReversed());
    });

    it.each<RunOrder>(['repo', 'workflow', 'changes', 'size'])(
      'orders equals by %s newest first, whichever way',
      async (order) => {
        await threeRuns();
        expect(await titles({ order })).toEqual(['gamma', 'alpha', 'beta']);
        expect(await titles({ order, direction: 'desc' })).toEqual(['gamma', 'alpha', 'beta']);
      },
    );

    it('orders by what a run cost, and text without regard to case', async () => {
      const { alpha } = await threeRuns();
      const billing = { input_tokens: 1, output_tokens: 1, total_tokens: 2, reasoning_tokens: 0 };
      const cached = { cache_read_tokens: 0, cache_write_tokens: 0 };
      const spent = { ...billing, ...cached, total_usd_micros: 60_000_000 };
      const failure = { reason: 'workflow_error' as const, detail: { message: 'no', category: 'structural' as const } };
      await append(alpha, [{ event: 'run.failed', properties: { failure, timing, billing: spent } }]);
      await ledger.create(aNewRun({ title: 'Beta II' }));
      await views.catchUp([alpha]);
      expect((await titles({ order: 'size', direction: 'desc' }))[0]).toBe('alpha');
      expect(await titles({ order: 'title' })).toEqual(['alpha', 'beta', 'Beta II', 'gamma']);
    });

    it('filters by column as it is now, and by parent', async () => {
      const { beta } = await threeRuns();
      expect(await titles({ columns: ['pending', 'succeeded'] })).toEqual(['alpha', 'gamma']);
      expect(await titles({ columns: [] })).toEqual([]);
      await ledger.create(aNewRun({ title: 'child', parentId: beta.runId }));
      expect(await titles({ parentId: beta.runId })).toEqual(['child']);
    });

    it('shows an archived run in its own column and in no other, at its place on the board', async () => {
      const { gamma } = await threeRuns();
      await append(gamma, [{ event: 'run.archived', properties: {} }]);
      expect(await titles()).toEqual(['beta', 'alpha']);
      expect(await titles({ columns: ['succeeded'] })).toEqual([]);
      expect(await titles({ columns: ['archived'] })).toEqual(['gamma']);
      const columns = [...ALL, 'archived'] as const;
      expect(await titles({ columns, order: 'status' })).toEqual(['alpha', 'beta', 'gamma']);
      await ledger.note([gamma], () => ({ events: [anEvent({ event: 'run.removing', properties: {} })], result: 0 }));
      expect(await titles({ columns: ['archived'] })).toEqual([]);
      expect(await titles({ columns: ['removing'] })).toEqual(['gamma']);
    });

    it('gives pages and the total, beyond the end, too', async () => {
      await threeRuns();
      const pageAt = (offset: number) => reader.list(DEFAULT_TENANT, listing({ limit: 2, offset }));
      expect((await pageAt(0)).runs.map(({ view }) => view.title)).toEqual(['beta', 'alpha']);
      expect((await pageAt(2)).runs.map(({ view }) => view.title)).toEqual(['gamma']);
      expect(await pageAt(10)).toEqual({ runs: [], total: 3, isTotalPartial: false, next: null });
    });

    it('shows each run exactly, however far its view is behind', async () => {
      const runs = await started(
        ledger,
        times(3, () => aNewRun()),
      );
      await append(runs[0]!, [{ event: 'run.running', properties: {} }]);
      await append(
        runs[1]!,
        times(600, (n) => aNotice(`${n}`)),
      );
      const { runs: shown } = await reader.list(DEFAULT_TENANT, listing());
      const expected = await Promise.all(runs.map(async (run) => (await foldedFromTheLog(run)).view));
      expect(shown.map(({ view }) => view)).toEqual(expect.arrayContaining(expected));
    });

    it('shows a tenant its own runs only', async () => {
      const acme = await addTenant(db, 'acme-views', null);
      await threeRuns();
      await ledger.create(aNewRun({ tenantId: acme, title: 'theirs' }));
      const { runs, total } = await reader.list(acme, listing());
      expect({ titles: runs.map(({ view }) => view.title), total }).toEqual({ titles: ['theirs'], total: 1 });
    });
  });

  describe('finding', () => {
    const OF_WORKFLOW = { slug: 'deploy-prod', name: 'Deploy to Production' };

    /** A run of a workflow with another name. */
    function named(workflow: { slug: string | null; name: string | null }): NewRun {
      const run = aNewRun();
      const events = run.events.map((event) =>
        event.event === 'run.created'
          ? { ...event, properties: { ...event.properties, workflow: { ...event.properties.workflow, ...workflow } } }
          : event,
      );
      return { ...run, events };
    }

    it('by prefix gives the ids that begin so, within the tenant', async () => {
      const ids = ['01K0AAAAAAAAAAAAAAAAAAAAAA', '01K0AAAAAAAAAAAAAAAAAAAAAB', '01K1AAAAAAAAAAAAAAAAAAAAAA'];
      for (const runId of ids) await ledger.create(aNewRun({ runId: runId as RunId }));
      const acme = await addTenant(db, 'acme-find', null);
      await ledger.create(aNewRun({ tenantId: acme, runId: '01K0AAAAAAAAAAAAAAAAAAAAAC' as RunId }));
      const find = (prefix: string, limit = 5) => reader.idsBeginningWith(DEFAULT_TENANT, prefix, limit);
      expect(await find('01K0')).toEqual(ids.slice(0, 2));
      expect(await find('01K0', 1)).toEqual(ids.slice(0, 1));
      expect(await find('01K1AAAAAAAAAAAAAAAAAAAAAA')).toEqual(ids.slice(2));
      expect(await find('01k0')).toEqual([]);
      expect(await find('%')).toEqual([]);
    });

    it('of a line finds that run and its descendants, however near their ids are to those of others', async () => {
      const top = named(OF_WORKFLOW);
      const child = { ...named({ slug: 'of-the-child', name: null }), parentId: top.runId };
      const grandchild = { ...named({ slug: 'of-the-grandchild', name: null }), parentId: child.runId };
      const other = named({ slug: 'of-nobody', name: null });
      for (const run of [top, child, grandchild, other]) await ledger.create(run);
      const first = top.runId.slice(0, 2);
      const line = [top.runId, child.runId, grandchild.runId].toSorted();
      expect(await reader.lineBeginningWith(top, first, 10)).toEqual(line);
      expect(await reader.lineBeginningWith(top, first, 2)).toEqual(line.slice(0, 2));
      expect(await reader.lineBeginningWith(child, top.runId, 10)).toEqual([]);
      expect(await reader.lineBeginningWith(top, other.runId, 10)).toEqual([]);
      expect(await reader.newestOfLine(top, 'of-the-grandchild')).toBe(grandchild.runId);
      expect(await reader.newestOfLine(grandchild, 'of-the-child')).toBeUndefined();
      expect(await reader.newestOfLine(top, 'of-nobody')).toBeUndefined();
      expect(await reader.workflowsOfLine(top, 'of-the', 1)).toMatchObject([
        { runId: grandchild.runId, workflow: 'of-the-grandchild', isExact: false },
      ]);
      expect(await reader.workflowsOfLine(top, 'of-nobody', 1)).toEqual([]);
    });

    it.each([
      ['deploy-prod', true],
      ['DEPLOY-PROD', true],
      ['deploy', true],
      ['to production', true],
      ['de-ploy to_pro', false],
      ['de-ploy to pro', true],
      ['prod-deploy', false],
      ['--', false],
      ['%', false],
    ])('by workflow takes %j: %s', async (text, isFound) => {
      const run = named(OF_WORKFLOW);
      await ledger.create(run);
      expect(await reader.newestOfWorkflow(DEFAULT_TENANT, text)).toBe(isFound ? run.runId : undefined);
    });

    it('by workflow takes the newest, whichever way it matches', async () => {
      await ledger.create(named(OF_WORKFLOW));
      await new Promise((resolve) => setTimeout(resolve, 3));
      const newer = named({ slug: 'other', name: 'Before deploy-prod' });
      await ledger.create(newer);
      expect(await reader.newestOfWorkflow(DEFAULT_TENANT, 'deploy-prod')).toBe(newer.runId);
    });
  });

  it('lists stages in the order of their first event, in pages', async () => {
    const run = await aRun();
    await append(
      run,
      [7, 2, 5].flatMap((n) => stage(n, false)),
    );
    const page = await reader.stages(run, 2, 0);
    expect(page.stages.map(({ id }) => id)).toEqual(['node7@1', 'node2@1']);
    expect(page.total).toBe(3);
    expect((await reader.stages(run, 2, 2)).stages.map(({ id }) => id)).toEqual(['node5@1']);
    expect(await reader.stages(run, 2, 9)).toEqual({ stages: [], total: 3 });
  });
});
