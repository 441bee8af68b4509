import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import S3rver from 's3rver';
import { ulid } from 'ulid';
import type { ObjectStore, RunKey } from '#libs/engine';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { DiskObjectStore, ObjectStoreUnavailableError, S3ObjectStore } from '#libs/object-store';
import { ColdLogs, LogRetention, LogUnreadableError, RunLedger, RunReader, RunViews } from '#libs/persistence';
import { InMemoryObjectStore } from '../support/in-memory-object-store.js';
import {
  addTenant,
  aNewRun,
  aNotice,
  runDatabase,
  someone,
  started,
  theEnd,
  type RunDatabase,
} from '../support/run-database.js';

const DAYS = 30;
const JANUARY_2024 = Date.UTC(2024, 0, 15);

let db: RunDatabase;
beforeAll(async () => {
  db = await runDatabase();
  await db.sql('UPDATE scheduler SET max_concurrent_runs = 1000');
});
afterAll(() => db.close());
beforeEach(() => db.sql('SELECT remove_run(tenant_id, id) FROM runs'));

interface Server {
  ledger: RunLedger;
  views: RunViews;
  reader: RunReader;
  warnings: string[];
  round(): Promise<void>;
}

/** What moves and reads logs, as one process has it. */
function aServer(objects: ObjectStore): Server {
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: Record<string, unknown>) => void warnings.push(String(fields.error)),
  };
  const cold = new ColdLogs(objects);
  const views = new RunViews(db.database, cold);
  const retention = new LogRetention(db.database, views, objects, cold, { days: DAYS, log });
  return {
    ledger: new RunLedger(db.database, db.signals, db.clock, cold),
    views,
    reader: new RunReader(db.database, views),
    warnings,
    round: () => retention.round(),
  };
}

/** A run that ended a month ago, with so many notices in its log. */
async function anOldRun(
  { ledger }: Pick<Server, 'ledger'>,
  notices = 3,
  tenantId = DEFAULT_TENANT,
  runId = ulid(JANUARY_2024) as RunId,
): Promise<RunKey> {
  const [run] = await started(ledger, [aNewRun({ runId, tenantId })]);
  const events = Array.from({ length: notices }, (_, n) => aNotice(`${n} ${'ä€'.repeat(n % 700)}`));
  await ledger.changeBy(run!, async () => ({ events: [...events, theEnd()], slot: 'none' }));
  await age(run!);
  return run!;
}

async function age({ runId }: RunKey): Promise<void> {
  await db.sql(`UPDATE run_heads SET last_event_at = now() - interval '31 days' WHERE run_id = $1`, [runId]);
}

async function frames({ ledger }: Pick<Server, 'ledger'>, run: RunKey): Promise<string[]> {
  const all: string[] = [];
  for (let page = await ledger.readLog(run, 1, 500); page.length > 0;) {
    all.push(...page.map(({ json }) => json));
    page = await ledger.readLog(run, all.length + 1, 500);
  }
  return all;
}

async function placeOf({ runId }: RunKey): Promise<{ rows: number; movedTo: number | null }> {
  const [place] = await db.sql<{ rows: number; movedTo: number | null }>(
    `SELECT (SELECT count(*)::int FROM run_events WHERE run_id = $1) AS rows,
            (SELECT to_seq::int FROM cold_logs WHERE run_id = $1) AS "movedTo"`,
    [runId],
  );
  return place!;
}

const storedRows = ({ runId }: RunKey) =>
  db.sql('SELECT e.*, body::text, stored_at::text FROM run_events e WHERE run_id = $1 ORDER BY seq', [runId]);

const noteOn = ({ ledger }: Server, run: RunKey) =>
  ledger.note([run], () => ({ events: [aNotice('noted later')], result: undefined }));

async function eventsOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of pages) events.push(event);
  return events;
}

/** Everything that a reader can ask about a run's log. */
async function told({ ledger, reader }: Server, run: RunKey): Promise<unknown> {
  const { tail, snapshot } = await ledger.state(run);
  return {
    frames: await frames({ ledger }, run),
    named: await ledger.eventsNamed(run, 'run.notice'),
    moment: await ledger.lastMoment(run, ['run.completed', 'run.notice']),
    history: await eventsOf(ledger.history(run, 7)),
    state: { tail, snapshot },
    shown: await reader.get(run),
    stages: await reader.stages(run, 10, 0),
  };
}

function keepsLogs(open: () => ObjectStore) {
  it('moves the log of an old run, and every reader finds in it what was there before', async () => {
    const server = aServer(open());
    const run = await anOldRun(server, 40);
    const before = await told(server, run);
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 46 });
    expect(await told(server, run)).toEqual(before);
    expect(await told(aServer(open()), run)).toEqual(before);
    expect(server.warnings).toEqual([]);
  });

  it('reads pages of a log of many parts, wherever they begin', async () => {
    const server = aServer(open());
    const run = await anOldRun(server, 1_500);
    const all = await frames(server, run);
    await server.round();
    const [{ parts } = { parts: 0 }] = await db.sql<{ parts: number }>(
      'SELECT json_array_length(parts) AS parts FROM cold_logs',
    );
    expect(parts).toBeGreaterThan(2);
    for (const [from, limit] of [
      [1, 500],
      [300, 7],
      [499, 900],
      [1_506, 10],
      [1_507, 10],
    ] as const) {
      const page = await aServer(open()).ledger.readLog(run, from, limit);
      expect(page.map(({ json }) => json)).toEqual(all.slice(from - 1, from - 1 + limit));
    }
  });

  it('leaves an object that any tool for gzip reads, under the digest of its text', async () => {
    const server = aServer(open());
    const run = await anOldRun(server, 1_200);
    await server.round();
    const [mark] = await db.sql<{ sha256: string; bytes: number }>('SELECT sha256, bytes::int FROM cold_logs');
    const object = await open().get(`${run.tenantId}/runs/${run.runId}/log/1206.ndjson.gz`);
    expect(object).toHaveLength(mark!.bytes);
    const text = gunzipSync(object!).toString();
    expect(createHash('sha256').update(text).digest('hex')).toBe(mark!.sha256);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { seq: number }).seq),
    ).toEqual(Array.from({ length: 1_206 }, (_, i) => i + 1));
  });

  it('joins what was noted since to what was moved, and moves both once that is old, too', async () => {
    const server = aServer(open());
    const run = await anOldRun(server);
    await server.round();
    await noteOn(server, run);
    expect(await placeOf(run)).toEqual({ rows: 1, movedTo: 9 });
    const before = await told(server, run);
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 1, movedTo: 9 });
    await age(run);
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 10 });
    expect(await told(server, run)).toEqual(before);
  });

  it('brings the log back when a run is to go on, row by row as it was', async () => {
    const server = aServer(open());
    const run = await anOldRun(server, 1_100);
    await noteOn(server, run);
    await age(run);
    const before = await storedRows(run);
    await server.round();
    await server.ledger.changeBy(run, async (_, load) => {
      expect((await load()).tail).toHaveLength(before.length);
      return { events: [aNotice('goes on')], slot: 'queued' };
    });
    expect((await storedRows(run)).slice(0, -1)).toEqual(before);
    expect(await placeOf(run)).toEqual({ rows: before.length + 1, movedTo: null });
    await db.sql(`UPDATE run_heads SET slot = 'none', runnable_seq = NULL`);
    await age(run);
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 0, movedTo: before.length + 1 });
  });

  it('calls a cancelled run so wherever its log lies, and leaves it there', async () => {
    const server = aServer(open());
    const run = aNewRun({ runId: ulid(JANUARY_2024) as RunId });
    const cancel = (on = server) => on.ledger.change(run, { kind: 'cancel', actor: someone });
    const refusal = (status: string) => ({
      kind: 'conflict',
      message: `Run ${run.runId} is ${status}; it cannot be cancelled.`,
    });
    await server.ledger.create(run);
    await cancel();
    await expect(cancel()).rejects.toMatchObject(refusal('cancelled'));
    await age(run);
    await server.round();
    expect(await placeOf(run)).toMatchObject({ rows: 0 });
    await expect(cancel()).rejects.toMatchObject(refusal('cancelled'));
    await expect(cancel(aServer(new InMemoryObjectStore()))).rejects.toMatchObject(refusal('failed'));
    expect(await placeOf(run)).toMatchObject({ rows: 0 });
  });

  it('builds the views of a moved log anew', async () => {
    const server = aServer(open());
    const run = await anOldRun(server, 2_100);
    await server.round();
    await noteOn(server, run);
    await server.views.catchUp([run]);
    const before = await db.sql('SELECT view::text, seq FROM run_views');
    await server.views.rebuild(run);
    expect(await db.sql('SELECT view::text, seq FROM run_views')).toEqual(before);
  });
}

describe('Retention of logs on a disk', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retention-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  keepsLogs(() => new DiskObjectStore(folder));
});

describe('Retention of logs in a bucket', () => {
  const bucket = 'logs';
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  let folder: string;
  let server: S3rver;
  let store: S3ObjectStore;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retention-s3-'));
    server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: folder });
    const { port } = await server.run();
    const endpoint = `http://127.0.0.1:${port}`;
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    store = new S3ObjectStore({ bucket, region, endpoint, pathStyle: true, credentials });
  });
  afterAll(async () => {
    store.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  keepsLogs(() => store);
});

const nothing = async (): Promise<void> => undefined;
const asItIs = (body: Uint8Array | undefined): Uint8Array | undefined => body;

/** A store in which something goes wrong, or meanwhile happens elsewhere. */
class TroubledStore extends InMemoryObjectStore {
  beforePut: () => Promise<unknown> = nothing;
  afterPut: () => Promise<unknown> = nothing;
  read: (body: Uint8Array | undefined) => Uint8Array | undefined = asItIs;

  mend(): void {
    Object.assign(this, { beforePut: nothing, afterPut: nothing, read: asItIs });
  }

  override async put(key: string, body: Uint8Array): Promise<void> {
    await this.beforePut();
    await super.put(key, body);
    await this.afterPut();
  }

  override async getRange(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.read(await super.getRange(key, start, end));
  }
}

const away = (): never => {
  throw new ObjectStoreUnavailableError({ cause: new Error('away') });
};

describe('Retention of logs', () => {
  let store: TroubledStore;
  let server: Server;
  beforeEach(() => {
    store = new TroubledStore();
    server = aServer(store);
  });

  it('leaves runs alone that are young, not over, or whose log cannot be read', async () => {
    const young = await anOldRun(server);
    await db.sql(`UPDATE run_heads SET last_event_at = now() - interval '29 days'`);
    const [waiting] = await started(server.ledger, [aNewRun({ runId: ulid(JANUARY_2024) as RunId })]);
    await age(waiting!);
    const dead = await anOldRun(server);
    await db.sql(`UPDATE run_heads SET status = 'dead' WHERE run_id = $1`, [dead.runId]);
    await server.round();
    for (const run of [young, waiting!, dead]) expect((await placeOf(run)).movedTo).toBeNull();
  });

  it('moves the logs of all tenants', async () => {
    const acme = await addTenant(db, 'acme', null);
    const runs = [await anOldRun(server), await anOldRun(server, 3, acme), await anOldRun(server, 3, acme)];
    await server.round();
    for (const run of runs) expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 9 });
  });

  it.each([
    ['before the object is there', () => (store.beforePut = away)],
    ['before the object is read back', () => (store.afterPut = away)],
    ['while it is read back', () => (store.read = away)],
  ])('loses nothing when it ends %s, and does it again', async (_moment, break_) => {
    const run = await anOldRun(server);
    const before = await frames(server, run);
    break_();
    await expect(server.round()).rejects.toThrow(ObjectStoreUnavailableError);
    expect(await placeOf(run)).toEqual({ rows: 9, movedTo: null });
    store.mend();
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 9 });
    expect(await frames(server, run)).toEqual(before);
  });

  it.each([
    ['nothing', () => undefined],
    ['less', (body?: Uint8Array) => body?.slice(1)],
    ['something else', (body?: Uint8Array) => body?.map((byte, i) => (i === 40 ? byte ^ 1 : byte))],
  ])('keeps the rows when the store gives back %s', async (_what, read) => {
    const run = await anOldRun(server);
    const other = await anOldRun(aServer(new InMemoryObjectStore()));
    store.read = read;
    await server.round();
    expect(server.warnings).toHaveLength(2);
    for (const kept of [run, other]) expect(await placeOf(kept)).toEqual({ rows: 9, movedTo: null });
  });

  it('does not move a log to which something is added meanwhile', async () => {
    const run = await anOldRun(server);
    store.afterPut = () => noteOn(server, run);
    await server.round();
    expect(await placeOf(run)).toEqual({ rows: 10, movedTo: null });
  });

  it.each([
    ['removed', (run: RunKey) => server.ledger.remove(run)],
    [
      'being removed',
      (run: RunKey) => db.sql(`UPDATE run_heads SET status = 'removing' WHERE run_id = $1`, [run.runId]),
    ],
  ])('leaves no object of a run that is %s meanwhile', async (_what, remove) => {
    const run = await anOldRun(server);
    store.afterPut = () => remove(run);
    await server.round();
    expect(await store.get(`${run.tenantId}/runs/${run.runId}/log/9.ndjson.gz`)).toBeUndefined();
    expect((await placeOf(run)).movedTo).toBeNull();
  });

  it('shows the log of a run that got the id of a removed one, whose log was read before', async () => {
    const run = await anOldRun(server);
    await server.round();
    const first = await frames(server, run);
    const other = aServer(store);
    await store.deleteAll(`${run.tenantId}/runs/${run.runId}/`);
    await other.ledger.remove(run);
    await anOldRun(other, 3, run.tenantId, run.runId);
    await other.round();
    expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 9 });
    const second = await frames(server, run);
    expect(second).toEqual(await frames(other, run));
    expect(second.filter((frame) => first.includes(frame))).toEqual([]);
  });

  it('may be done by several servers at the same moment', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, () => anOldRun(server)));
    await Promise.all([server, aServer(store), aServer(store)].map((one) => one.round()));
    for (const run of runs) {
      expect(await placeOf(run)).toEqual({ rows: 0, movedTo: 9 });
      expect(await frames(server, run)).toHaveLength(9);
    }
  });

  it('lets two who bring a log back at the same moment bring it back once', async () => {
    const run = await anOldRun(server);
    const before = await storedRows(run);
    await server.round();
    const goOn = ({ ledger }: Server) =>
      ledger.changeBy(run, async (_, load) => ({ events: [aNotice(`${(await load()).tail.length}`)] }));
    await Promise.all([goOn(server), goOn(aServer(store))]);
    expect((await storedRows(run)).slice(0, -2)).toEqual(before);
  });

  it('says so when the store has lost a log, and reads it once it is there again', async () => {
    const run = await anOldRun(server);
    await server.round();
    store.read = () => undefined;
    await expect(frames(server, run)).rejects.toThrow(LogUnreadableError);
    store.read = away;
    await expect(frames(server, run)).rejects.toThrow(ObjectStoreUnavailableError);
    store.mend();
    expect(await frames(server, run)).toHaveLength(9);
  });

  it('fetches a part once for all who read it', async () => {
    const run = await anOldRun(server);
    await server.round();
    let fetched = 0;
    store.read = (body) => (fetched++, body);
    await Promise.all(Array.from({ length: 20 }, () => frames(server, run)));
    expect(fetched).toBe(1);
  });

  it('lets the app role take no rows of a run that ended today', async () => {
    const run = await anOldRun(server);
    await server.views.catchUp([run]);
    await db.sql('UPDATE run_heads SET last_event_at = now()');
    const text = `SELECT move_log($1, $2, 9, 'x', 1, '[]') AS result`;
    const rows = await db.database.query({ name: 'take', text }, [run.tenantId, run.runId]);
    expect(rows).toEqual([{ result: 'changed' }]);
    expect(await placeOf(run)).toEqual({ rows: 9, movedTo: null });
  });
});
