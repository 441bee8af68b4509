import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ENGINE_VERSION, STATE_VERSION, type RunKey } from '#libs/engine';
import { VIEW_VERSION } from '#libs/events';
import { RunReader, RunViews, ViewRenewal } from '#libs/persistence';
import { aStage } from '../support/a-log.js';
import { aNewRun, anEvent, runDatabase, started, type RunDatabase } from '../support/run-database.js';

jest.setTimeout(30_000);

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
