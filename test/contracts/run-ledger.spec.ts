import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Release, RunKey } from '#libs/engine';
import { isTerminal } from '#libs/events';
import { DEFAULT_TENANT, newUlid, type RunId } from '#libs/kernel';
import { RunIdTakenError, RunReader, RunViews, type RunLedger, forgetOldIdempotencyKeys } from '#libs/persistence';
import { IllegalTransitionError, RunNotFoundError } from '#libs/runs';
import {
  addTenant,
  aNewRun,
  aNotice,
  anEvent,
  aSpec,
  runDatabase,
  someone,
  started,
  storedLog,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';
import { until } from '../support/until.js';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const ending: Release = {
  events: [],

  slot: 'none',
  wakeAt: null,
  state: null,
};

describe('The run ledger', () => {
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

  async function countOf(table: string): Promise<number> {
    const [row] = await db.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    return row!.count;
  }

  describe('create', () => {
    it('stores two hundred runs that arrive together', async () => {
      const runs = times(200, (n) => aNewRun({ title: `Run ${n}`, text: `manifest ${n % 7}` }));
      const stored = await Promise.all(runs.map((run) => ledger.create(run)));
      expect(stored.map(({ run }) => run)).toEqual(runs);
      expect(stored.map(({ view }) => view?.title)).toEqual(times(200, (n) => `Run ${n}`));
      expect(await countOf('runs')).toBe(200);
      const [sample] = await ledger.readLog(runs[123]!, 1, 10);
      expect(JSON.parse(sample!.json)).toMatchObject({
        seq: 1,
        run_id: runs[123]!.runId,
        event: 'run.created',
        properties: { title: 'Run 123', workflow_source: aSpec.workflow_source },
      });
    });

    it('is harmless to repeat: the same id with the same manifest is the same run', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const again = await ledger.create({ ...aNewRun(), runId: run.runId });
      expect(again).toMatchObject({ run: { tenantId: run.tenantId, runId: run.runId }, view: null });
      expect(await storedLog(db, run)).toHaveLength(2);
    });

    it('refuses an id that belongs to another manifest', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const other = ledger.create(aNewRun({ runId: run.runId, text: 'another manifest' }));
      await expect(other).rejects.toBeInstanceOf(RunIdTakenError);
      expect(await ledger.find(run)).toMatchObject({ manifestSha256: run.manifest.sha256 });
    });

    it('gives an id to another tenant all the same', async () => {
      const acme = await addTenant(db, 'acme-create', null);
      const run = aNewRun();
      const other = aNewRun({ tenantId: acme, runId: run.runId, text: 'another manifest' });
      const stored = await Promise.all([ledger.create(run), ledger.create(other)]);
      expect(stored.map(({ run }) => run)).toEqual([run, other]);
    });

    it('knows an idempotency key for a day', async () => {
      const text = 'another manifest';
      const run = aNewRun({ idempotencyKey: 'k-old' });
      await ledger.create(run);
      const ages = (age: string) =>
        db.sql(`UPDATE idempotency_keys SET created_at = now() - $1::interval WHERE key = 'k-old'`, [age]);
      await ages('23 hours 59 minutes');
      await forgetOldIdempotencyKeys(db.database);
      expect((await ledger.create(aNewRun({ idempotencyKey: 'k-old' }))).run.runId).toBe(run.runId);
      await ages('24 hours 1 minute');
      await forgetOldIdempotencyKeys(db.database);
      const fresh = aNewRun({ idempotencyKey: 'k-old', text });
      expect((await ledger.create(fresh)).run.runId).toBe(fresh.runId);
    });

    it('gives the run of an idempotency key, whatever id the repeat proposes', async () => {
      const run = aNewRun({ idempotencyKey: 'k-1' });
      await ledger.create(run);
      const repeat = await ledger.create(aNewRun({ idempotencyKey: 'k-1' }));
      expect(repeat.run.runId).toBe(run.runId);
      const other = ledger.create(aNewRun({ idempotencyKey: 'k-1', text: 'another manifest' }));
      await expect(other).rejects.toBeInstanceOf(RunIdTakenError);
      expect(await countOf('runs')).toBe(1);
    });

    it('makes one run of a key that arrives many times at once, over two servers', async () => {
      const other = db.ledger();
      const repeats = times(40, (n) => (n % 2 ? ledger : other).create(aNewRun({ idempotencyKey: 'k-2' })));
      const ids = (await Promise.all(repeats)).map(({ run }) => run.runId);
      expect(new Set(ids).size).toBe(1);
      expect(await countOf('runs')).toBe(1);
    });

    it('makes one run of an id that arrives many times at once, over two servers', async () => {
      const other = db.ledger();
      const { runId } = aNewRun();
      await Promise.all(times(40, (n) => (n % 2 ? ledger : other).create(aNewRun({ runId }))));
      expect(await storedLog(db, { tenantId: DEFAULT_TENANT, runId })).toHaveLength(2);
    });

    it('does not use up the key of a request that it refuses', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const refused = ledger.create(aNewRun({ runId: run.runId, text: 'another manifest', idempotencyKey: 'k-3' }));
      await expect(refused).rejects.toBeInstanceOf(RunIdTakenError);
      const mended = aNewRun({ text: 'another manifest', idempotencyKey: 'k-3' });
      expect((await ledger.create(mended)).run).toEqual(mended);
    });

    it('fails alone for a run whose events cannot be stored', async () => {
      const good = times(5, () => aNewRun());
      const bad = aNewRun();
      const tooLarge = { ...bad, events: [...bad.events, aNotice('x'.repeat(300 * 1024))] };
      const results = await Promise.allSettled([...good, tooLarge].map((run) => ledger.create(run)));
      expect(results.map(({ status }) => status)).toEqual([...good.map(() => 'fulfilled'), 'rejected']);
      expect(await countOf('runs')).toBe(5);
    });

    it('remembers the key under which a stored run is submitted again', async () => {
      const run = aNewRun();
      await ledger.create(run);
      await ledger.create(aNewRun({ runId: run.runId, idempotencyKey: 'k-4' }));
      const repeat = await ledger.create(aNewRun({ idempotencyKey: 'k-4' }));
      expect(repeat.run.runId).toBe(run.runId);
    });

    it('never lets two servers that store the same definitions wait for each other in a circle', async () => {
      const texts = times(9, (n) => `shared manifest ${n}`);
      const middle = aNewRun({ text: texts[4]! });
      const blocker = await db.session();
      await blocker.query('BEGIN');
      await blocker.query('INSERT INTO definitions VALUES ($1, $2, $3)', [
        middle.tenantId,
        middle.manifest.sha256,
        Buffer.alloc(0),
      ]);
      const other = db.ledger();
      const creations = Promise.all([
        ...texts.map((text) => ledger.create(aNewRun({ text }))),
        ...texts.toReversed().map((text) => other.create(aNewRun({ text }))),
      ]);
      const waiting = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await countOf(waiting)) === 2, 'both servers wait');
      await blocker.query('ROLLBACK');
      await blocker.end();
      await creations;
      const [stat] = await db.sql('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
      expect(stat).toEqual({ deadlocks: 0 });
    });
  });

  describe('start', () => {
    it('wins once of fifty times', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const other = db.ledger();
      const results = await Promise.allSettled(
        times(50, (n) => (n % 2 ? ledger : other).start({ ...run, actor: someone })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(reasons.every((reason) => reason instanceof IllegalTransitionError)).toBe(true);
      expect((await storedLog(db, run)).map(({ event }) => event)).toEqual([
        'run.created',
        'run.submitted',
        'run.start_requested',
        'run.runnable',
        'run.starting',
      ]);
    });

    it('is refused to a run that does not exist, without keeping others from starting', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const missing = start({ ...run, runId: newUlid(Date.now()) as RunId });
      await Promise.all([start(run), expect(missing).rejects.toBeInstanceOf(RunNotFoundError)]);
      expect(await ledger.head(run)).toMatchObject({ status: 'starting', slot: 'held' });
    });

    it('tells of every event and every slot after the commit', async () => {
      const run = aNewRun();
      await ledger.create(run);
      await start(run);
      const key = { tenantId: run.tenantId, runId: run.runId };
      const notices = db.signals.notices.filter(({ runId }) => runId === run.runId);
      expect(Math.max(...notices.map(({ toSeq }) => toSeq))).toBe(5);
      expect(db.signals.hints).toContainEqual(expect.objectContaining({ ...key, epoch: 1 }));
    });
  });

  describe('change', () => {
    it('ends a run once when it is cancelled and started at the same moment, fifty times', async () => {
      await limit(10_000);
      const outcomes = await Promise.all(
        times(50, async (n) => {
          const run = aNewRun();
          await ledger.create(run);
          const cancel = async (): Promise<void> => {
            const end = anEvent({
              event: 'run.failed',
              properties: {
                failure: { reason: 'cancelled', detail: { message: 'Cancelled.', category: 'canceled' } },
                timing: { wall_time_ms: 0, inference_time_ms: 0, tool_time_ms: 0, active_time_ms: 0 },
              },
            });
            await ledger.changeBy(run, async (head) => {
              if (isTerminal(head.status)) throw new IllegalTransitionError(run.runId, head.status, 'cancelled');
              if (head.slot === 'held') return { events: [], pendingControl: 'cancel' };
              return { events: [end], slot: 'none', pendingControl: null };
            });
          };
          const both = n % 2 ? [start(run), cancel()] : [cancel(), start(run)];
          const results = await Promise.allSettled(both);
          const [starting, cancelling] = n % 2 ? results : results.toReversed();
          const { status, slot } = await ledger.head(run);
          const [head] = await db.sql<{ pending_control: string | null }>(
            'SELECT pending_control FROM run_heads WHERE run_id = $1',
            [run.runId],
          );
          return [starting!.status, cancelling!.status, status, slot, head!.pending_control].join(' ');
        }),
      );
      const possible = ['fulfilled fulfilled starting held cancel', 'rejected fulfilled failed none '];
      expect(outcomes.filter((outcome) => !possible.includes(outcome))).toEqual([]);
    });

    it('leaves a parked run its moment', async () => {
      const [run] = await started(ledger, [aNewRun()]);
      const store = db.store('ann');
      const [claim] = await store.claim('ann', 1);
      const wakeAt = Date.now() + 60_000;
      await store.release(claim!.lease, { ...ending, slot: 'parked', wakeAt });
      await ledger.changeBy(run!, async () => ({ events: [aNotice('a')] }));
      const [head] = await db.sql<{ at: number }>(
        'SELECT extract(epoch FROM wake_at)::float8 * 1000 AS at FROM run_heads',
      );
      expect(head!.at).toBe(wakeAt);
    });

    it('rolls everything back when the decision throws', async () => {
      const [run] = await started(ledger, [aNewRun()]);
      const refused = ledger.changeBy(run!, async () => Promise.reject(new RangeError('no')));
      await expect(refused).rejects.toBeInstanceOf(RangeError);
      await ledger.changeBy(run!, async () => null);
      expect(await storedLog(db, run!)).toHaveLength(5);
    });

    it('gives the slot of a run that it ends to the next one', async () => {
      await limit(1);
      const [first, second] = await started(ledger, [aNewRun(), aNewRun()]);
      expect(await ledger.head(second!)).toMatchObject({ status: 'runnable', slot: 'queued' });
      const running = anEvent({ event: 'run.running', properties: {} });
      await ledger.changeBy(first!, async () => ({ events: [running, theEnd()], slot: 'none' }));
      expect(await ledger.head(second!)).toMatchObject({ status: 'starting', slot: 'held' });
    });

    it('hands the decision the state of the engine from under the lock', async () => {
      const [run] = await started(ledger, [aNewRun()]);
      let seen: unknown;
      await ledger.changeBy(run!, async (_, load) => {
        const { spec, snapshot, tail } = await load();
        seen = { spec, snapshot, seqs: tail.map(({ seq }) => seq) };
        return null;
      });
      expect(seen).toEqual({ spec: aSpec, snapshot: null, seqs: [1, 2, 3, 4, 5] });
    });
  });

  describe('an id that was removed and given to another run, by another process', () => {
    const titles = async (page: readonly { json: string }[]) =>
      page.flatMap(({ json }) => (JSON.parse(json) as { properties: { title?: string } }).properties.title ?? []);

    it('is of the other run here, too, though nobody told of it', async () => {
      const other = db.ledger();
      const first = aNewRun({ title: 'The secret of the first' });
      await ledger.create(first);
      const before = await ledger.head(first);
      expect(await titles(await ledger.readLog({ ...first, bornAt: before.bornAt }, 1, 10))).toHaveLength(1);
      await other.remove(first);
      expect(await ledger.readLog(first, 1, 10)).toEqual([]);
      await other.create(aNewRun({ runId: first.runId, title: 'The second' }));
      const { bornAt } = await ledger.head(first);
      expect(bornAt).not.toBe(before.bornAt);
      for (const run of [first, { ...first, bornAt }]) {
        expect(await titles(await ledger.readLog(run, 1, 10))).toEqual(['The second']);
      }
    });

    it('keeps what is appended here to the other run apart from the first', async () => {
      const other = db.ledger();
      const { run } = await ledger.create(aNewRun({ title: 'The first' }));
      await other.remove(run);
      await other.create(aNewRun({ runId: run.runId, title: 'The second' }));
      await start(run);
      const { bornAt } = await ledger.head(run);
      const log = await ledger.readLog({ ...run, bornAt }, 1, 10);
      expect([await titles(log), log.length]).toEqual([['The second'], 5]);
    });

    it('gives a reader of the first nothing of the other', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const { bornAt } = await ledger.head(run);
      const other = db.ledger();
      await other.remove(run);
      await other.create(aNewRun({ runId: run.runId }));
      expect(await other.readLog({ ...run, bornAt }, 1, 10)).toEqual([]);
    });
  });

  describe('remove', () => {
    it('leaves nothing of a run, and everything of the others', async () => {
      const [run, other] = await started(ledger, [
        aNewRun({ idempotencyKey: 'k-gone' }),
        aNewRun({ idempotencyKey: 'k-stays' }),
      ]);
      const stage = anEvent({
        event: 'stage.started',
        node_id: 'a',
        stage_id: 'a@1',
        properties: {
          index: 0,
          handler_type: 'command',
          attempt: 1,
          max_attempts: 1,
          graph_visit: 1,
          attempt_id: 'a',
          epoch: 1,
        },
      });
      const store = db.store('ann');
      for (const { lease } of await store.claim('ann', 2)) {
        await store.append(lease, { events: [stage] });
        await store.snapshot(lease, 6, '{}');
      }
      await new RunViews(db.database, db.cold).catchUp([run!, other!]);
      await db.sql(`INSERT INTO cold_logs SELECT tenant_id, id, 1, 'digest', 1, '[]' FROM runs`);
      await db.sql(`INSERT INTO access_tokens (token_sha256, tenant_id, role, principal, run_id)
                    SELECT id, tenant_id, 'viewer', '{}', id FROM runs`);
      await db.sql(`INSERT INTO outbox (tenant_id, run_id, kind) SELECT tenant_id, id, 'wake' FROM runs`);
      // Of `view_check`, the run is only a place in the order of all runs.
      const tables = await db.sql<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.columns
          WHERE table_schema = current_schema() AND column_name = 'run_id' AND table_name <> 'view_check'
          UNION SELECT 'runs'`,
      );
      const holding = async ({ runId }: RunKey): Promise<string[]> => {
        const counts = await Promise.all(
          tables.map(async ({ name }) => ({
            name,
            count: await countOf(`${name} WHERE ${name === 'runs' ? 'id' : 'run_id'} = '${runId}'`),
          })),
        );
        return counts.flatMap(({ name, count }) => (count > 0 ? [name] : [])).sort();
      };
      const everywhere = await holding(run!);
      expect(everywhere).toEqual(tables.map(({ name }) => name).sort());
      await ledger.remove(run!);
      await ledger.remove(run!);
      expect(await holding(run!)).toEqual([]);
      expect(await holding(other!)).toEqual(everywhere);
      await expect(ledger.require(run!)).rejects.toBeInstanceOf(RunNotFoundError);
    });

    it('takes the run that is meant, and none that has its id since', async () => {
      const run = aNewRun();
      await ledger.create(run);
      const first = await ledger.head(run);
      await ledger.remove(first);
      await ledger.create(run);
      await ledger.remove(first);
      const second = await ledger.head(run);
      expect(second.bornAt).not.toBe(first.bornAt);
      await ledger.remove(second);
      await expect(ledger.require(run)).rejects.toBeInstanceOf(RunNotFoundError);
    });

    const KEY = 'WHERE tenant_id = $1 AND run_id = $2';
    it.each([
      {
        writer: 'a fold of its log',
        lock: `SELECT FROM run_views ${KEY} FOR NO KEY UPDATE`,
        insert: `INSERT INTO stage_views VALUES ($1, $2, 'a@1', 1, true, '{}')`,
      },
      {
        writer: 'a claim',
        lock: `SELECT FROM run_heads ${KEY} FOR UPDATE`,
        insert: `INSERT INTO run_snapshots VALUES ($1, $2, 1, '{}')`,
      },
    ])('waits for $writer, which does not wait for it', async ({ lock, insert }) => {
      const { tenantId, runId } = (await ledger.create(aNewRun())).run;
      const writer = await db.session();
      try {
        await writer.query('BEGIN');
        await writer.query(lock, [tenantId, runId]);
        const removed = ledger.remove({ tenantId, runId });
        await until(
          async () =>
            1 ===
            (await countOf(
              'pg_stat_activity WHERE datname = current_database() AND pg_blocking_pids(pid) <> ARRAY[]::int[]',
            )),
          'the removal waits',
        );
        await writer.query(insert, [tenantId, runId]);
        await writer.query('COMMIT');
        await removed;
      } finally {
        await writer.end();
      }
      expect(await countOf('runs')).toBe(0);
    });
  });

  describe('the log', () => {
    it.each([
      { what: 'change', text: `UPDATE run_events SET event = 'x'` },
      { what: 'delete', text: 'DELETE FROM run_events' },
      { what: 'empty', text: 'TRUNCATE run_events' },
      { what: 'change runs of', text: `UPDATE runs SET spec_sha256 = 'x'` },
      { what: 'delete runs of', text: 'DELETE FROM runs' },
    ])('refuses the app role to $what it', async ({ text }) => {
      const [run] = await started(ledger, [aNewRun()]);
      const attempt = db.database.query({ name: text, text });
      await expect(attempt).rejects.toThrow(/permission denied/);
      expect(await storedLog(db, run!)).toHaveLength(5);
    });

    it('refuses the app role its partitions, too', async () => {
      const partitions = await db.sql<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'run_events'::regclass`,
      );
      expect(partitions.length).toBeGreaterThan(0);
      for (const { name } of partitions) {
        const attempt = db.database.query({ name: `delete ${name}`, text: `DELETE FROM ${name}` });
        await expect(attempt).rejects.toThrow(/permission denied/);
      }
    });

    it('is read in pages, with its end marked', async () => {
      const [run] = await started(ledger, [aNewRun()]);
      const running = anEvent({ event: 'run.running', properties: {} });
      await ledger.changeBy(run!, async () => ({ events: [running, theEnd()], slot: 'none' }));
      const page = await ledger.readLog(run!, 4, 2);
      expect(page.map(({ seq, terminal }) => ({ seq, terminal }))).toEqual([
        { seq: 4, terminal: false },
        { seq: 5, terminal: false },
      ]);
      const rest = await ledger.readLog(run!, 6, 100);
      expect(rest.map(({ seq, terminal }) => ({ seq, terminal }))).toEqual([
        { seq: 6, terminal: false },
        { seq: 7, terminal: true },
      ]);
    });
  });

  it('reads up to a seq although other processes appended a part of it', async () => {
    const run = aNewRun();
    await ledger.create(run);
    await db.ledger().start({ ...run, actor: someone });
    const page = await ledger.readLog(run, 1, 100, 6);
    expect(page.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const seqs: number[] = [];
    for (let next = 1; ; next = seqs.length + 1) {
      const rows = await ledger.readLog(run, next, 100);
      if (rows.length === 0) break;
      seqs.push(...rows.map(({ seq }) => seq));
    }
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
  });

  it('finds nothing of another tenant', async () => {
    const acme = await addTenant(db, 'acme', null);
    const [run] = await started(ledger, [aNewRun({ idempotencyKey: 'theirs' })]);
    const foreign = { ...run!, tenantId: acme };
    const reader = new RunReader(db.database, new RunViews(db.database, db.cold));
    const store = db.store('ann');
    const [claim] = await store.claim('ann', 1, [run!]);

    expect(await ledger.find(foreign, 'theirs')).toBeUndefined();
    expect(await ledger.readLog(foreign, 1, 100)).toEqual([]);
    for (const refused of [
      () => ledger.require(foreign),
      () => ledger.head(foreign),
      () => ledger.spec(foreign),
      () => ledger.start({ ...foreign, actor: someone }),
      () => ledger.changeBy(foreign, async () => ({ events: [aNotice('a')] })),
      () => reader.get(foreign),
    ]) {
      await expect(refused()).rejects.toBeInstanceOf(RunNotFoundError);
    }
    const listing = { columns: ['initializing'], parentId: null, direction: 'asc', limit: 10, offset: 0 } as const;
    expect(await reader.list(acme, { ...listing, order: 'created_at' })).toMatchObject({ runs: [], total: 0 });
    expect(await reader.list(DEFAULT_TENANT, { ...listing, order: 'created_at' })).toMatchObject({ total: 1 });
    expect(await reader.stages(foreign, 10, 0)).toEqual({ stages: [], total: 0 });
    expect(await store.claim('ben', 1, [foreign])).toEqual([]);
    expect(await store.load(foreign)).toEqual({ snapshot: null, tail: [] });
    expect(await store.readOthers(foreign, 0)).toEqual([]);
    expect(await store.renew('ann', [{ ...claim!.lease, tenantId: acme }])).toEqual(new Map());
    await expect(store.spec(foreign, claim!.specSha256)).rejects.toThrow(/not stored/);
    await ledger.remove(foreign);
    expect(await storedLog(db, run!)).toHaveLength(5);
  });
});
