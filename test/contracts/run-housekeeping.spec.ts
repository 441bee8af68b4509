import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunKey } from '#libs/engine';
import { type RunEvent } from '#libs/events';
import { newUlid, type RunId } from '#libs/kernel';
import { RunReader, RunViews, type NewRun, type RunLedger } from '#libs/persistence';
import { IllegalTransitionError, ParentCycleError, RunArchivedError, RunNotFoundError } from '#libs/runs';
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
const archived = anEvent({ event: 'run.archived', properties: {} });
const titled = (title: string) => anEvent({ event: 'run.title.updated', properties: { title } });

describe('Housekeeping in the run ledger', () => {
  let db: RunDatabase;
  let ledger: RunLedger;
  let reader: RunReader;
  beforeAll(async () => {
    db = await runDatabase(16);
    ledger = db.ledger();
    reader = new RunReader(db.database, new RunViews(db.database, db.cold));
  });
  afterAll(() => db.close());
  beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

  async function aRun(more: Parameters<typeof aNewRun>[0] = {}): Promise<NewRun> {
    const run = aNewRun(more);
    await ledger.create(run);
    return run;
  }

  async function anEndedRun(): Promise<RunKey> {
    const [run] = await started(ledger, [aNewRun()]);
    const running: RunEvent = { event: 'run.running', properties: {} };
    await ledger.changeBy(run!, async () => ({ events: [anEvent(running), theEnd()], slot: 'none' }));
    return run!;
  }

  const archive = (run: RunKey) => ledger.note([run], () => ({ events: [archived], result: undefined }));
  const names = async (run: RunKey) => (await storedLog(db, run)).map(({ event }) => event);

  describe('note', () => {
    it('decides for each run by its own head, and says what became of each', async () => {
      const [live, ended, missing] = [await aRun(), await anEndedRun(), aNewRun()];
      const results = await ledger.note([missing, ended, live], (head) => ({
        events: head?.status === 'succeeded' ? [archived] : [],
        result: head?.status,
      }));
      expect(results).toEqual([undefined, 'succeeded', 'submitted']);
      expect(await names(ended)).toContain('run.archived');
      expect(await names(live)).toHaveLength(2);
    });

    it('leaves a run with the worker that drives it', async () => {
      const [run] = await started(ledger, [aNewRun()]);
      const [claim] = await db.store('ann').claim('ann', 1, [run!]);
      await ledger.note([run!], () => ({ events: [titled('Other')], result: undefined }));
      expect(await ledger.head(run!)).toMatchObject({ slot: 'held', status: 'starting' });
      const appended = await db.store('ann').append(claim!.lease, { events: [aNotice('still here')] });
      expect(appended).toMatchObject({ pendingControl: null });
      expect((await reader.get(run!)).view.title).toBe('Other');
    });

    it('appends every note of two hundred runs that two servers note at once', async () => {
      const runs = await Promise.all(times(200, () => aRun()));
      const other = db.ledger();
      const note = (by: RunLedger, keys: readonly RunKey[], title: string) =>
        by.note(keys, () => ({ events: [titled(title)], result: undefined }));
      await Promise.all([note(ledger, runs, 'a'), note(other, runs.toReversed(), 'b')]);
      const heads = await ledger.heads(runs);
      expect(heads.map(({ lastSeq }) => lastSeq)).toEqual(runs.map(() => 4));
    });

    it('does nothing when it throws', async () => {
      const runs = [await aRun(), await aRun()];
      const refused = ledger.note(runs, (head) => {
        if (head?.runId === runs[1]!.runId) throw new RangeError('no');
        return { events: [titled('Other')], result: undefined };
      });
      await expect(refused).rejects.toThrow('no');
      expect(await names(runs[0]!)).toHaveLength(2);
    });
  });

  describe('an archived run', () => {
    it('is not changed until it is unarchived', async () => {
      const run = await anEndedRun();
      await archive(run);
      const checkpoint = { ordinal: 1, nodeId: 'build', visit: 1 };
      const change = () => ledger.change(run, { kind: 'rewind', actor: someone, newRunId: newUlid(0), checkpoint });
      await expect(change()).rejects.toBeInstanceOf(RunArchivedError);
      await expect(ledger.start({ ...run, actor: someone })).rejects.toBeInstanceOf(RunArchivedError);
      await ledger.note([run], (head) => {
        expect(head?.isArchived).toBe(true);
        return { events: [anEvent({ event: 'run.unarchived', properties: {} })], result: undefined };
      });
      await expect(ledger.start({ ...run, actor: someone })).rejects.toBeInstanceOf(IllegalTransitionError);
      await change();
    });

    it('still takes notes, and goes when it is removed', async () => {
      const run = await anEndedRun();
      await archive(run);
      await ledger.note([run], () => ({ events: [titled('Kept')], result: undefined }));
      const { view } = await reader.get(run);
      expect(view).toMatchObject({ title: 'Kept', status: { kind: 'succeeded' }, archived_at: archived.ts });
      await ledger.remove(run);
      expect(await ledger.heads([run])).toEqual([]);
    });
  });

  describe('link', () => {
    const link = (child: RunKey, parent: RunKey | null, by = ledger) => {
      const { tenantId, runId } = child;
      return by.link({ tenantId, runId, parentId: parent?.runId ?? null, actor: someone });
    };

    it('gives a run a parent, another one, and none', async () => {
      const [child, first, second] = [await aRun(), await aRun(), await aRun()];
      await link(child, first);
      await link(child, first);
      expect(await reader.get(first)).toMatchObject({ childrenCount: 1 });
      await link(child, second);
      expect(await reader.get(first)).toMatchObject({ childrenCount: 0 });
      expect((await reader.get(child)).view.parent_id).toBe(second.runId);
      await link(child, null);
      await link(child, null);
      expect((await reader.get(child)).view.parent_id).toBeNull();
      const log = await ledger.readLog(child, 3, 10);
      expect(log.map(({ json }) => JSON.parse(json) as RunEvent)).toMatchObject([
        { event: 'run.parent.linked', actor: someone, properties: { parent_id: first.runId } },
        { properties: { parent_id: second.runId, previous_parent_id: first.runId } },
        { event: 'run.parent.unlinked', properties: { previous_parent_id: second.runId } },
      ]);
      expect(log).toHaveLength(3);
    });

    it('is taken from all children, however many, and said in the log of each; harmless to repeat', async () => {
      const parent = await aRun();
      const another = await aRun();
      await aRun({ parentId: another.runId });
      const children = await Promise.all(Array.from({ length: 201 }, () => aRun({ parentId: parent.runId })));
      await ledger.unlinkChildren(parent, someone);
      await ledger.unlinkChildren(parent, someone);
      expect(await reader.get(parent)).toMatchObject({ childrenCount: 0 });
      const views = (await reader.getAll(children)).map(({ view }) => view.parent_id);
      expect([views.length, new Set(views)]).toEqual([201, new Set([null])]);
      const log = await ledger.readLog(children[200]!, 1, 10);
      expect(log.map(({ json }) => (JSON.parse(json) as RunEvent).event).at(-1)).toBe('run.parent.unlinked');
      expect(log).toHaveLength((await ledger.readLog(children[0]!, 1, 10)).length);
      expect(await reader.get(another)).toMatchObject({ childrenCount: 1 });
    });

    it('refuses a run as its own parent, and a descendant', async () => {
      const top = await aRun();
      const middle = await aRun({ parentId: top.runId });
      const bottom = await aRun({ parentId: middle.runId });
      await expect(link(top, top)).rejects.toBeInstanceOf(ParentCycleError);
      await expect(link(top, bottom)).rejects.toBeInstanceOf(ParentCycleError);
      await link(bottom, top);
      await link(middle, bottom);
      expect([...(await ledger.line(middle))]).toEqual([middle.runId, bottom.runId, top.runId]);
      await ledger.remove(top);
      expect(await ledger.line(bottom)).toEqual(new Set([bottom.runId, top.runId]));
      expect(await ledger.line(top)).toEqual(new Set());
    });

    it('makes descendants, a hundred generations of them, in one tenant', async () => {
      const [top, other] = [await aRun(), await aRun()];
      let last = top;
      const line: RunKey[] = [];
      for (let generation = 1; generation <= 101; generation++)
        line.push((last = await aRun({ parentId: last.runId })));
      const descends = (run: RunKey | undefined, ancestor: RunKey) => ledger.descends(run!, ancestor.runId);
      expect(await Promise.all([line[0], line[99], line[100]].map((run) => descends(run, top)))).toEqual([
        true,
        true,
        false,
      ]);
      expect(await descends(line[100], line[0]!)).toBe(true);
      const none = [descends(top, top), descends(top, line[0]!), descends(other, top), descends(aNewRun(), top)];
      expect(await Promise.all(none)).toEqual([false, false, false, false]);
      const elsewhere = await addTenant(db, 'acme-line', null);
      expect(await descends({ ...line[0]!, tenantId: elsewhere }, top)).toBe(false);
    });

    it('refuses runs that do not exist, or belong to another tenant', async () => {
      const run = await aRun();
      const theirs = await aRun({ tenantId: await addTenant(db, 'acme-link', null) });
      const missing = aNewRun();
      for (const [child, parent] of [
        [run, missing],
        [missing, run],
        [missing, null],
        [run, theirs],
      ] as const) {
        await expect(link(child, parent)).rejects.toBeInstanceOf(RunNotFoundError);
      }
      expect(await names(run)).toHaveLength(2);
    });

    it('never closes a circle, however many links are made at once, over two servers', async () => {
      const other = db.ledger();
      for (let round = 0; round < 10; round++) {
        const runs = await Promise.all(times(6, () => aRun()));
        const links = runs.map((run, n) => link(run, runs[(n + 1) % runs.length]!, n % 2 ? ledger : other));
        const results = await Promise.allSettled(links);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
        for (const run of runs) expect((await ledger.line(run)).size).toBeLessThanOrEqual(6);
      }
    });
  });

  describe('retry', () => {
    const retry = async (source: RunKey): Promise<RunKey> => {
      const run = aNewRun();
      await ledger.retry(source, run, someone);
      return { tenantId: run.tenantId, runId: run.runId };
    };

    it('stores and starts a run in one commit, and leaves the source as it is', async () => {
      const source = await anEndedRun();
      const before = await names(source);
      const run = await retry(source);
      expect(await names(run)).toEqual([
        'run.created',
        'run.submitted',
        'run.start_requested',
        'run.runnable',
        'run.starting',
      ]);
      expect(await ledger.readLog(run, 1, 10)).toHaveLength(5);
      expect(await names(source)).toEqual(before);
    });

    it('is refused, and leaves nothing, for a run that is not over, archived, or not there', async () => {
      const [live, hidden] = [await aRun(), await anEndedRun()];
      await archive(hidden);
      const missing = { ...live, runId: newUlid(Date.now()) as RunId };
      for (const [source, fault] of [
        [live, IllegalTransitionError],
        [hidden, RunArchivedError],
        [missing, RunNotFoundError],
      ] as const) {
        await expect(retry(source)).rejects.toBeInstanceOf(fault);
      }
      expect(await db.sql('SELECT id FROM runs')).toHaveLength(2);
    });
  });
});
