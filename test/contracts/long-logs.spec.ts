import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ulid } from 'ulid';
import { initialState, RunDefinition, Walk, type RunKey } from '#libs/engine';
import { decodeEvent, type RunSpec } from '#libs/events';
import type { JsonObject, RunId } from '#libs/kernel';
import { compile } from '#libs/language';
import {
  DatabaseUnavailableError,
  encodeDefinition,
  LogRetention,
  RunViews,
  ViewCheck,
  ViewRenewal,
  type RunLedger,
} from '#libs/persistence';
import { aNewRun, aNotice, runDatabase, started, theEnd, type RunDatabase } from '../support/run-database.js';

const JANUARY_2024 = Date.UTC(2024, 0, 15);
const LONG = 20_000;

let db: RunDatabase;
let ledger: RunLedger;
let views: RunViews;
let said: Record<string, unknown>[];
const log = { info: () => undefined, warn: (fields: Record<string, unknown>) => void said.push(fields) };
beforeAll(async () => {
  db = await runDatabase();
  await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
  ledger = db.ledger();
  views = new RunViews(db.database, db.cold);
});
afterAll(() => db.close());
beforeEach(async () => {
  said = [];
  await db.sql('SELECT remove_run(tenant_id, id) FROM runs');
});
afterEach(() => {
  jest.restoreAllMocks();
});

const { graph } = compile('digraph Long { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }');
const settings = {
  run: { goal: null, execution: { mode: 'normal', approval: 'prompt' }, environment: { env: {} }, hooks: [] },
};
const spec: RunSpec = { settings, graph: graph as unknown as JsonObject, workflow_source: '' };

/** A run that ended a month ago, with so many notices in its log; the newest were written first, which nobody can tell. */
async function anOldRun(notices: number): Promise<RunKey> {
  const run = aNewRun({ runId: ulid(JANUARY_2024) as RunId, spec: encodeDefinition(JSON.stringify(spec)) });
  const [key] = await started(ledger, [run]);
  await ledger.changeBy(run, async () => ({ events: [aNotice('first'), theEnd()], slot: 'none' }));
  await db.sql(
    `INSERT INTO run_events (tenant_id, run_id, seq, id, event, ts, body)
     SELECT tenant_id, run_id, 7 + n, id, event, ts, body
       FROM run_events, generate_series(1, $2::int) n WHERE run_id = $1 AND event = 'run.notice'`,
    [run.runId, notices],
  );
  await db.sql(
    `UPDATE run_heads SET next_seq = next_seq + $2, last_event_at = now() - interval '31 days' WHERE run_id = $1`,
    [run.runId, notices],
  );
  await views.catchUp([key!]);
  return key!;
}

const aRetention = (stretch?: number) =>
  new LogRetention(db.database, views, db.objects, db.cold, { days: 30, log, ...(stretch && { stretch }) });

/** Somebody means to go on with a run, and then does not. */
const goOn = (run: RunKey) =>
  ledger.changeBy(run, async (_, load) => {
    await load();
    return null;
  });

async function seqsOf(run: RunKey): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of ledger.history(run, Number.MAX_SAFE_INTEGER - 1)) seqs.push(seq);
  return seqs;
}

/** The most rows that one reply has, from now on. */
function mostRows(): () => number {
  let most = 0;
  const query = db.database.query.bind(db.database);
  jest.spyOn(db.database, 'query').mockImplementation(async (...args: Parameters<typeof query>) => {
    const rows = await query(...args);
    most = Math.max(most, rows.length);
    return rows;
  });
  return () => most;
}

/** What one statement says of one run takes too long, from now on. */
function slow(name: string, { runId }: RunKey): void {
  const query = db.database.query.bind(db.database);
  jest.spyOn(db.database, 'query').mockImplementation(async (...args: Parameters<typeof query>) => {
    const [statement, values = []] = args;
    if (statement.name === name && values.includes(runId)) throw new DatabaseUnavailableError({ code: '57014' });
    return query(...args);
  });
}

const storedRows = ({ runId }: RunKey) =>
  db.sql('SELECT seq, epoch, id, event, stored_at::text, body::text FROM run_events WHERE run_id = $1 ORDER BY seq', [
    runId,
  ]);

describe('A long log', () => {
  it('is folded while it is read, never held as a whole', async () => {
    const run = await anOldRun(LONG);
    const most = mostRows();
    const { snapshot, tail } = await db.store('ann').load(run);
    expect(most()).toBeLessThanOrEqual(1_000);
    expect(tail.length).toBeLessThan(2_000);
    const rows = await db.sql<{ seq: string; body: string }>(
      'SELECT seq, body::text FROM run_events WHERE run_id = $1 ORDER BY seq',
      [run.runId],
    );
    const definition = new RunDefinition(run.runId, spec, null);
    const walk = new Walk(definition, initialState(definition.index.start.id), { now: 1, epoch: 9, random: () => 0 });
    const folded = new Walk(definition, snapshot!.state, { now: 1, epoch: 9, random: () => 0 });
    for (const { seq, body } of rows) walk.hear(decodeEvent(Number(seq), body));
    for (const event of tail) folded.hear(event);
    expect(snapshot!.seq + tail.length).toBe(rows.length);
    expect(folded.state).toEqual(walk.state);
  });

  it('is read page by page by whoever makes a fork of it', async () => {
    const run = await anOldRun(LONG);
    const most = mostRows();
    let seq = 0;
    for await (const event of ledger.history(run, Number.MAX_SAFE_INTEGER - 1)) expect(event.seq).toBe(++seq);
    expect(seq).toBe(LONG + 7);
    expect(most()).toBeLessThanOrEqual(1_000);
  });

  it('moves in stretches, each whole or not at all, and comes back the same', async () => {
    const run = await anOldRun(LONG);
    const before = await storedRows(run);

    // The third object cannot be stored.
    const put = db.objects.put.bind(db.objects);
    let puts = 0;
    jest.spyOn(db.objects, 'put').mockImplementation(async (...args) => {
      if (++puts === 3) throw new Error('full');
      await put(...args);
    });
    await aRetention(3_000).round();
    expect(said).toEqual([expect.objectContaining({ error: 'full' })]);
    expect((await storedRows(run))[0]).toMatchObject({ seq: '6001' });
    expect(await seqsOf(run)).toEqual(before.map((_, i) => i + 1));

    await aRetention(3_000).round();
    expect(await storedRows(run)).toEqual([]);
    expect(await seqsOf(run)).toEqual(before.map((_, i) => i + 1));
    expect(puts).toBe(3 + 5);

    const most = mostRows();
    await goOn(run);
    expect(most()).toBeLessThanOrEqual(1_000);
    expect(await storedRows(run)).toEqual(before);
    expect(await db.sql('SELECT FROM cold_logs')).toEqual([]);
  });

  it('that came back in part is whole, and comes back in full', async () => {
    const run = await anOldRun(LONG);
    const before = await storedRows(run);
    await aRetention().round();
    const read = db.cold.read.bind(db.cold);
    let reads = 0;
    jest.spyOn(db.cold, 'read').mockImplementation(async (...args) => {
      if (++reads === 3) throw new Error('away');
      return read(...args);
    });
    await expect(goOn(run)).rejects.toThrow('away');
    jest.restoreAllMocks();
    expect((await storedRows(run)).length).toBeGreaterThan(1_000);
    expect(await seqsOf(run)).toEqual(before.map((_, i) => i + 1));
    await goOn(run);
    expect(await storedRows(run)).toEqual(before);
  });
});

describe('Behind a log that takes too long', () => {
  const movedTo = async ({ runId }: RunKey) =>
    (await db.sql<{ to: number }>('SELECT to_seq::int AS to FROM cold_logs WHERE run_id = $1', [runId]))[0]?.to;

  it('retention goes on, and comes back to it later', async () => {
    const [first, culprit, last] = [await anOldRun(1), await anOldRun(1), await anOldRun(1)];
    const retention = aRetention();
    slow('move-log', culprit);
    await retention.round();
    expect([await movedTo(first), await movedTo(culprit), await movedTo(last)]).toEqual([8, undefined, 8]);
    expect(said).toEqual([expect.objectContaining({ run: culprit.runId })]);
    await retention.round();
    expect(said).toHaveLength(1);
    jest.restoreAllMocks();
    await aRetention().round();
    expect(await movedTo(culprit)).toBe(8);
  });

  it('the check of read models goes on', async () => {
    const [first, culprit, last] = [await anOldRun(1), await anOldRun(1), await anOldRun(1)];
    await db.sql(`UPDATE run_views SET title = 'Other'`);
    await db.sql(`UPDATE view_check SET tenant_id = '', run_id = '', mended = 0, not_before = now()`);
    slow('read-stored-views', culprit);
    // A round ends early on a busy machine; the next one goes on from there.
    const check = new ViewCheck(db.database, views, db.cold, log);
    for (let round = 0; round < 3 && said.length < 3; round++) {
      await db.sql('UPDATE view_check SET not_before = now()');
      await check.round();
    }
    expect(said.map(({ run }) => run)).toEqual([first, culprit, last].map(({ runId }) => runId).sort());
    const [turn] = await db.sql<{ mended: number }>('SELECT mended::int FROM view_check');
    expect(turn).toEqual({ mended: 2 });
  });

  it('the check of read models goes on when reading takes a minute', async () => {
    const [culprit, last] = [await anOldRun(LONG), await anOldRun(1)];
    await db.sql(`UPDATE run_views SET title = 'Other'`);
    await db.sql(`UPDATE view_check SET tenant_id = '', run_id = '', mended = 0, not_before = now()`);
    const check = new ViewCheck(db.database, views, db.cold, log, 20);
    for (let n = 0; n < 2; n++) {
      await check.round();
      await db.sql('UPDATE view_check SET not_before = now()');
    }
    expect(said.map(({ run }) => run)).toEqual([culprit.runId, last.runId].sort());
    expect(await db.sql(`SELECT FROM run_views WHERE title = 'Other'`)).toHaveLength(1);
  });
});

describe('The renewal of read models', () => {
  const outdated = async () => (await db.sql('SELECT FROM run_views WHERE version = 0')).length;
  const renewal = () => new ViewRenewal(db.database, views, log);

  it('ends when it is told to, and another one goes on', async () => {
    await Promise.all(Array.from({ length: 8 }, () => anOldRun(0)));
    await db.sql('UPDATE run_views SET version = 0');
    const stopped = renewal();
    stopped.stop();
    await stopped.round();
    expect(await outdated()).toBe(8);
    await Promise.all([renewal(), renewal(), renewal()].map((each) => each.round()));
    expect(await outdated()).toBe(0);
  });

  it('goes on behind what cannot be folded', async () => {
    const [broken] = [await anOldRun(0), await anOldRun(0)];
    await db.sql('DELETE FROM run_events WHERE run_id = $1 AND seq = 1', [broken.runId]);
    await db.sql('UPDATE run_views SET version = 0');
    await renewal().round();
    expect(await outdated()).toBe(1);
    expect(said).toEqual([expect.objectContaining({ run: broken.runId })]);
  });
});

it('is removed in steps; who removes it again goes on where one failed', async () => {
  const run = await anOldRun(120_000);
  await db.sql(`UPDATE run_heads SET status = 'removing' WHERE run_id = $1`, [run.runId]);
  const [head] = await ledger.heads([run]);
  const query = jest.spyOn(db.database, 'queryAgain');
  query.mockImplementation(async (statement, values) => {
    if (statement.name === 'remove-run') throw new DatabaseUnavailableError({ code: '57014' });
    return db.database.query(statement, values);
  });
  await expect(ledger.remove(head!)).rejects.toThrow();
  expect((await storedRows(run)).length).toBe(head!.lastSeq - 100_001);
  query.mockRestore();
  await ledger.remove(head!);
  expect(await storedRows(run)).toEqual([]);
  expect(await ledger.heads([run])).toEqual([]);
});

it('loses nothing to the removal of events while nobody removes it', async () => {
  const run = await anOldRun(10);
  const before = await storedRows(run);
  await db.sql('SELECT remove_events($1, $2, 1)', [run.tenantId, run.runId]);
  expect(await storedRows(run)).toEqual(before);
});
