import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import { VIEW_VERSION } from '#libs/events';
import { readSystemFigures, RunViews, ViewCheck, type RunLedger } from '#libs/persistence';
import { aStage } from '../support/a-log.js';
import { aNewRun, aNotice, anEvent, runDatabase, started, theEnd, type RunDatabase } from '../support/run-database.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

interface Said {
  sentence: string;
  fields: Record<string, unknown>;
}

describe('The check of read models', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let views: RunViews;
  let said: Said[];
  beforeAll(async () => {
    db = await runDatabase(12);
    await db.sql('UPDATE scheduler SET max_concurrent_runs = 10000');
    ledger = db.ledger();
    views = new RunViews(db.database, db.cold);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    said = [];
    await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
    await db.sql(`UPDATE view_check SET tenant_id = '', run_id = '', mended = 0, mended_at = NULL`);
  });

  /** As one server process has it. */
  function aCheck(): ViewCheck {
    const say = (fields: Record<string, unknown>, sentence: string): void => void said.push({ fields, sentence });
    return new ViewCheck(db.database, views, db.cold, { info: () => undefined, warn: say });
  }

  const due = () => db.sql('UPDATE view_check SET not_before = now()');
  const cursor = async () => (await db.sql<{ run_id: string }>('SELECT run_id FROM view_check'))[0]!.run_id;

  /** Steps until the turn has come to the end of all runs. */
  async function turn(check = aCheck()): Promise<void> {
    do {
      await due();
      await check.round();
    } while ((await cursor()) !== '');
  }

  async function aRun(notices = 0): Promise<RunKey> {
    const [run] = await started(ledger, [aNewRun()]);
    const { started: begun, completed } = aStage('a@1');
    const events = [anEvent({ event: 'run.running', properties: {} }), ...[begun(), completed()].map(anEvent)];
    await ledger.changeBy(run!, async () => ({ events: [...events, ...times(notices, (n) => aNotice(`${n}`))] }));
    await views.catchUp([run!]);
    return run!;
  }

  /** The rows with their versions as PostgreSQL counts them, so that a row that was written again is another one. */
  async function rows({ runId }: RunKey): Promise<object> {
    const read = (table: string) =>
      db.sql(`SELECT xmin, to_jsonb(t) - 'xmin' AS row FROM ${table} t WHERE run_id = $1 ORDER BY t::text`, [runId]);
    return { views: await read('run_views'), stages: await read('stage_views') };
  }

  const contents = async (run: RunKey) =>
    JSON.parse(
      JSON.stringify(await rows(run), (key, value: unknown) => (key === 'xmin' ? undefined : value)),
    ) as object;

  it('leaves what is right as it is', async () => {
    const runs = [await aRun(), await aRun(1_200)];
    const before = await Promise.all(runs.map(rows));
    await turn();
    expect(await Promise.all(runs.map(rows))).toEqual(before);
    expect(said).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    [
      'a view that says otherwise',
      `UPDATE run_views SET view = jsonb_set(view::jsonb, '{status,kind}', '"failed"') WHERE run_id = $1`,
      ['run_views.view.status.kind'],
    ],
    ['another title beside the view', `UPDATE run_views SET title = 'Other' WHERE run_id = $1`, ['run_views.title']],
    ['another moment beside it', `UPDATE run_views SET created_at = now() WHERE run_id = $1`, ['run_views.created_at']],
    ['a seq beyond the log', 'UPDATE run_views SET seq = seq + 1 WHERE run_id = $1', ['run_views.seq']],
    ['a view that is lost', 'DELETE FROM run_views WHERE run_id = $1', ['run_views']],
    [
      'a stage that says otherwise',
      `UPDATE stage_views SET view = jsonb_set(view::jsonb, '{status}', '"failed"') WHERE run_id = $1`,
      ['stage_views.a@1.view.status'],
    ],
    ['a stage that is lost', 'DELETE FROM stage_views WHERE run_id = $1', ['stage_views.a@1']],
    [
      'a stage that never was',
      `INSERT INTO stage_views SELECT tenant_id, run_id, 'b@1', first_seq, is_open, view FROM stage_views WHERE run_id = $1`,
      ['stage_views.b@1'],
    ],
  ])('finds %s, names it and folds it anew', async (_, tamper, places) => {
    const [run, neighbour] = [await aRun(), await aRun()];
    const [right, untouched] = [await contents(run), await rows(neighbour)];
    await db.sql(tamper, [run.runId]);
    await turn();
    expect(said).toEqual([
      {
        sentence: 'The read models of a run said otherwise than its log; they were folded anew.',
        fields: { run: run.runId, tenant: run.tenantId, differs: places, places: places.length },
      },
    ]);
    expect(await contents(run)).toEqual(right);
    expect(await rows(neighbour)).toEqual(untouched);
    expect((await readSystemFigures(db.database)).views).toMatchObject({ mended: 1, mendedAgoMs: expect.any(Number) });
    said = [];
    await turn();
    expect(said).toEqual([]);
  });

  it('never calls a run wrong that goes on meanwhile', async () => {
    const runs = await Promise.all(times(4, () => aRun(600)));
    let on = true;
    const writers = runs.map(async (run, n) => {
      for (let visit = 2; on; visit++) {
        const { started: begun, completed } = aStage(`a@${visit}`);
        const notices = times(n * 10, (k) => aNotice(`${k}`));
        await ledger.changeBy(run, async () => ({ events: [anEvent(begun()), ...notices, anEvent(completed())] }));
        await views.catchUp([run]);
      }
    });
    for (let n = 0; n < 10; n++) await turn();
    on = false;
    await Promise.all(writers);
    expect(said).toEqual([]);
  });

  it('is done by one process at a time, and goes on where the last step ended', async () => {
    const runs = await Promise.all(times(3, () => aRun()));
    await db.sql(`UPDATE run_views SET title = 'Other'`);
    await due();
    await Promise.all(times(5, () => aCheck().round()));
    expect(said).toHaveLength(3);
    expect(await cursor()).toBe(
      runs
        .map(({ runId }) => runId)
        .sort()
        .at(-1),
    );

    // Each comes before the rest is over.
    await db.sql(`UPDATE run_views SET title = 'Other'`);
    await Promise.all(times(5, () => aCheck().round()));
    // And one that comes after it has nothing left in this turn; the next turn begins a day after this one began.
    await due();
    await aCheck().round();
    await aCheck().round();
    expect(said).toHaveLength(3);
    const [next] = await db.sql<{ hours: number }>(
      `SELECT round(extract(epoch FROM not_before - began_at) / 3600)::int AS hours FROM view_check`,
    );
    expect(next).toEqual({ hours: 24 });
  });

  it('goes on behind a log that cannot be folded, and says so', async () => {
    const [broken, wrong] = [await aRun(), await aRun()];
    await db.sql('DELETE FROM run_events WHERE run_id = $1 AND seq = 3', [broken.runId]);
    await db.sql(`UPDATE run_views SET title = 'Other' WHERE run_id = $1`, [wrong.runId]);
    await turn();
    expect(said.map(({ fields }) => fields)).toEqual([
      { run: broken.runId, tenant: broken.tenantId, error: `Event 4 of run ${broken.runId} follows 2.` },
      expect.objectContaining({ run: wrong.runId }),
    ]);
  });

  it('passes over what another version folded, what is to be folded anyway, and logs in the object store', async () => {
    const [newer, reset, cold] = [await aRun(), await aRun(), await aRun()];
    await ledger.changeBy(cold, async () => ({ events: [theEnd()], slot: 'none' }));
    await db.sql(`UPDATE run_views SET title = 'Other'`);
    await db.sql('UPDATE run_views SET version = $1 WHERE run_id = $2', [VIEW_VERSION + 1, newer.runId]);
    await db.sql('UPDATE run_views SET seq = 0 WHERE run_id = $1', [reset.runId]);
    await db.sql(
      `INSERT INTO cold_logs (tenant_id, run_id, to_seq, sha256, bytes, parts) VALUES ($1, $2, 1, '', 1, '[]')`,
      [cold.tenantId, cold.runId],
    );
    const before = await Promise.all([newer, reset, cold].map(rows));
    await turn();
    expect(said).toEqual([]);
    expect(await Promise.all([newer, reset, cold].map(rows))).toEqual(before);
  });

  it('looks at the run at which it was stopped again', async () => {
    await aRun(1_200);
    const check = aCheck();
    check.stop();
    await due();
    await check.round();
    expect(await cursor()).toBe('');
    expect(said).toEqual([]);
  });
});
