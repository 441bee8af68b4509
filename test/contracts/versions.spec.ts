import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ENGINE_VERSION, STATE_VERSION, type RunKey } from '#libs/engine';
import { VIEW_VERSION } from '#libs/events';
import { NewerEngines, RunReader, RunViews, Slots, ViewRenewal, WorkerPresence } from '#libs/persistence';
import { aStage } from '../support/a-log.js';
import { aNewRun, anEvent, expireLease, runDatabase, started, type RunDatabase } from '../support/run-database.js';

/** What a deploy brings together: rows of another version beside a server of this one. */
describe('Beside another version', () => {
  let db: RunDatabase;
  let views: RunViews;
  let reader: RunReader;
  beforeAll(async () => {
    db = await runDatabase();
    views = new RunViews(db.database, db.cold);
    reader = new RunReader(db.database, views);
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 100');
  });
  afterAll(() => db.close());

  const aHeldRun = async (): Promise<RunKey> => (await started(db.ledger(), [aNewRun()]))[0]!;

  async function aRunWithAStage(): Promise<RunKey> {
    const run = await aHeldRun();
    const [claim] = await db.store('ann').claim('ann', 1, [run]);
    const { started: begun, completed } = aStage('a@1');
    const events = [{ event: 'run.running', properties: {} } as const, begun(), completed()].map(anEvent);
    await db.store('ann').append(claim!.lease, { events });
    await views.catchUp([run]);
    return run;
  }

  const storedViews = async (run: RunKey) => {
    const values = [run.runId];
    const [view] = await db.sql('SELECT version, seq::int, view FROM run_views WHERE run_id = $1', values);
    const stages = await db.sql('SELECT stage_id, view FROM stage_views WHERE run_id = $1', values);
    return { view, stages };
  };

  /** As a fold of another shape would have left them. */
  async function storedBy(version: number, run: RunKey): Promise<void> {
    await db.sql(`UPDATE run_views SET version = $1, view = '{}' WHERE run_id = $2`, [version, run.runId]);
    await db.sql(`UPDATE stage_views SET view = '{}', stage_id = 'other' WHERE run_id = $1`, [run.runId]);
  }

  it('leaves the runs of a newer engine to newer workers', async () => {
    const run = await aHeldRun();
    const engineIs = (version: number) =>
      db.sql('UPDATE runs SET engine_version = $1 WHERE id = $2', [version, run.runId]);
    await engineIs(ENGINE_VERSION + 1);
    expect(await db.store('ann').claim('ann', 1, [run])).toEqual([]);
    expect(await db.store('ann').claim('ann', 100)).toEqual([]);
    await engineIs(ENGINE_VERSION);
    expect(await db.store('ann').claim('ann', 1, [run])).toHaveLength(1);
  });

  it('keeps a run that it goes on with from older workers', async () => {
    const run = await aHeldRun();
    const engine = () => db.sql('SELECT engine_version FROM runs WHERE id = $1', [run.runId]);
    await db.sql('UPDATE runs SET engine_version = $1 WHERE id = $2', [ENGINE_VERSION - 1, run.runId]);
    expect(await db.store('ann').claim('ann', 1, [run])).toHaveLength(1);
    expect(await engine()).toEqual([{ engine_version: ENGINE_VERSION }]);
  });

  it('passes over a snapshot of another version and reads the log', async () => {
    const run = await aHeldRun();
    const [claim] = await db.store('ann').claim('ann', 1, [run]);
    await db.store('ann').snapshot(claim!.lease, 3, '{}');
    const [stored] = await db.sql<{ version: number }>('SELECT version FROM run_snapshots WHERE run_id = $1', [
      run.runId,
    ]);
    expect(stored).toEqual({ version: STATE_VERSION });
    await db.sql('UPDATE run_snapshots SET version = $1 WHERE run_id = $2', [STATE_VERSION + 1, run.runId]);
    const { snapshot, tail } = await db.store('ann').load(run);
    expect(snapshot).toBeNull();
    expect(tail.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([VIEW_VERSION - 1, VIEW_VERSION + 1])(
    'folds a view of version %i anew for whoever reads it',
    async (version) => {
      const run = await aRunWithAStage();
      const before = await storedViews(run);
      const shown = await reader.get(run);
      await storedBy(version, run);
      expect(await reader.get(run)).toEqual(shown);
      expect((await reader.stages(run, 10, 0)).stages).toHaveLength(1);
      expect(await storedViews(run)).toEqual(before);
    },
  );

  it('renews what an older version stored, and leaves a newer one its own', async () => {
    const [older, newer] = [await aRunWithAStage(), await aRunWithAStage()];
    const before = await storedViews(older);
    await storedBy(VIEW_VERSION - 1, older);
    await storedBy(VIEW_VERSION + 1, newer);
    await new ViewRenewal(db.database, views, { warn: () => undefined }).round();
    expect(await storedViews(older)).toEqual(before);
    expect((await storedViews(newer)).view).toMatchObject({ version: VIEW_VERSION + 1, view: {} });
  });
});

/** Rows of a newer version, and no worker that could go on with them. */
describe('After a step back to this version', () => {
  const NEWER = ENGINE_VERSION + 1;
  let db: RunDatabase;
  let slots: Slots;
  let newerEngines: NewerEngines;
  let presence: WorkerPresence;
  beforeAll(async () => {
    db = await runDatabase();
    slots = new Slots(db.database, db.signals, db.clock);
    newerEngines = new NewerEngines(db.database);
  });
  afterAll(() => db.close());
  afterEach(() => presence.close());
  beforeEach(async () => {
    presence = new WorkerPresence(db.connectionString, 'ann');
    await presence.announce();
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await slots.setLimit(2);
    await workersHave(ENGINE_VERSION);
  });

  const workersHave = (version: number) => db.sql('UPDATE workers SET engine_version = $1', [version]);
  const ofEngine = (version: number, { runId }: RunKey) =>
    db.sql('UPDATE runs SET engine_version = $1 WHERE id = $2', [version, runId]);
  const slotsOf = async (runs: readonly RunKey[]) =>
    (await Promise.all(runs.map((run) => db.ledger().head(run)))).map(({ slot }) => slot);
  async function round(): Promise<void> {
    const { parked, queued } = await newerEngines.round();
    if (parked + queued > 0) await slots.wakeAndPromote();
  }
  async function runs(count: number, version = NEWER): Promise<RunKey[]> {
    const all = await started(
      db.ledger(),
      Array.from({ length: count }, () => aNewRun()),
    );
    for (const run of all) await ofEngine(version, run);
    return all;
  }

  it('lets the runs of this engine go on past newer ones, which wait for a newer worker and keep their order', async () => {
    const newer = await runs(4);
    const [own] = await runs(1, ENGINE_VERSION);
    expect(await slotsOf([...newer, own!])).toEqual(['held', 'held', 'queued', 'queued', 'queued']);
    await round();
    expect(await slotsOf([...newer, own!])).toEqual(['parked', 'parked', 'parked', 'parked', 'held']);
    expect(await db.store('ann').claim('ann', 5)).toMatchObject([{ lease: own }]);
    await round();
    expect(await slotsOf(newer)).toEqual(['parked', 'parked', 'parked', 'parked']);

    await workersHave(NEWER);
    await round();
    expect(await slotsOf(newer)).toEqual(['held', 'queued', 'queued', 'queued']);
    await slots.setLimit(4);
    await slots.wakeAndPromote();
    expect(await slotsOf(newer)).toEqual(['held', 'held', 'held', 'queued']);
  });

  it('leaves everything as it is while a worker of their engine is there, or none at all', async () => {
    const newer = await runs(2);
    await workersHave(NEWER);
    await round();
    expect(await slotsOf(newer)).toEqual(['held', 'held']);
    await presence.close();
    await round();
    expect(await slotsOf(newer)).toEqual(['held', 'held']);
  });

  it('leaves alone what somebody drives, and what is to be cancelled', async () => {
    const [driven, cancelled] = await runs(2, ENGINE_VERSION);
    await db.store('ann').claim('ann', 1, [driven!]);
    const wanted = anEvent({ event: 'run.cancel.requested', properties: { action: 'cancel' } });
    await db.ledger().changeBy(cancelled!, async () => ({ events: [wanted], pendingControl: 'cancel' }));
    for (const run of [driven!, cancelled!]) await ofEngine(NEWER, run);
    await round();
    expect(await slotsOf([driven!, cancelled!])).toEqual(['held', 'held']);
  });

  it('counts the epoch that the newer worker lost', async () => {
    const [run] = await runs(1, ENGINE_VERSION);
    await db.store('newer').claim('newer', 1, [run!]);
    await ofEngine(NEWER, run!);
    await expireLease(db, run!);
    await slots.expireLeases();
    await round();
    expect(await slotsOf([run!])).toEqual(['parked']);
    await ofEngine(ENGINE_VERSION, run!);
    await db.sql('UPDATE run_heads SET awaited_engine = $1', [ENGINE_VERSION]);
    await round();
    expect(await db.store('ann').claim('ann', 1)).toMatchObject([{ lease: { epoch: 2 }, epochsWithoutProgress: 1 }]);
  });

  it('leaves a paused run paused when a worker registers', async () => {
    const [run] = await runs(1);
    await round();
    await db.ledger().changeBy(run!, async () => ({
      events: [anEvent({ event: 'run.running', properties: {} }), anEvent({ event: 'run.paused', properties: {} })],
    }));
    await workersHave(NEWER);
    await round();
    expect(await slotsOf([run!])).toEqual(['parked']);
  });
});
