import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import type { EventNotice, EventNotices, TextDelta } from '#libs/engine';
import { NoticesClosedError, PgEventNotices, RedisEventNotices } from '#libs/event-stream';
import { newUlid, type RunId, type TenantId } from '#libs/kernel';
import { startPostgres, testDatabase, type PostgresServer, type TestDatabase } from '../support/embedded-postgres.js';
import { InMemoryEventNotices, InMemoryNoticeChannel } from '../support/in-memory-event-notices.js';
import { RecordedLog } from '../support/recorded-log.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { stretched } from '../support/stretched.js';
import { until } from '../support/until.js';

const acme = 'acme' as TenantId;
const aRun = () => newUlid(Date.now()) as RunId;
const noticeOf = (runId: RunId, toSeq: number, tenantId = acme): EventNotice => ({
  tenantId,
  runId,
  fromSeq: toSeq,
  toSeq,
});
const textOf = (runId: RunId, offset: number, text: string): TextDelta => ({
  source: 'command',
  ...{ tenantId: acme, runId, nodeId: 'ask', nodeLabel: 'Ask', stageId: 'ask@1', visit: 1, offset, text },
});
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const opened: EventNotices[] = [];
async function ready<T extends EventNotices>(notices: T): Promise<T> {
  opened.push(notices);
  await notices.ready();
  return notices;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((notices) => notices.close()));
});

function hearing(notices: EventNotices, runId: RunId, tenantId = acme): number[] {
  const heard: number[] = [];
  notices.subscribe(tenantId, runId, ({ toSeq }) => heard.push(toSeq));
  return heard;
}

const someTenants = (count: number) => Array.from({ length: count }, (_, index) => `tenant-${index}` as TenantId);

/** Every call of `open` is another process on the same channel. */
function keepsTheContract(open: () => EventNotices) {
  const someNotices = () => ready(open());

  it('tells listeners of the same process at once, each notice once', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    const [heard, far] = [hearing(here, run), hearing(there, run)];
    await there.ready();
    for (const toSeq of [1, 2, 3]) here.publish(noticeOf(run, toSeq));
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([1, 2, 3]);
    await until(() => far.at(-1) === 3, 'they have gone over the channel');
    there.publish(noticeOf(run, 4));
    await until(() => heard.includes(4), 'a later one has come back over it');
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  it('tells listeners of other processes', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    const heard = hearing(there, run);
    await there.ready();
    here.publish(noticeOf(run, 7));
    await until(() => heard.length > 0, 'the notice is heard', 500);
    expect(heard).toEqual([7]);
  });

  it('ends with the highest seq in every process when many notices follow each other', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    const heard = hearing(there, run);
    await there.ready();
    for (let toSeq = 1; toSeq <= 500; toSeq += 1) here.publish(noticeOf(run, toSeq));
    await until(() => heard.at(-1) === 500, 'the last notice is heard');
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
  });

  it('carries the notices of many runs at a time', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const runs = Array.from({ length: 1_000 }, aRun);
    let heard = 0;
    for (const run of runs) there.subscribe(acme, run, () => (heard += 1));
    await there.ready();
    runs.forEach((run, index) => here.publish(noticeOf(run, index)));
    await until(() => heard === runs.length, 'a notice of every run is heard');
  });

  it('tells a thousand listeners of one run', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    let heard = 0;
    for (let count = 0; count < 1_000; count += 1) there.subscribe(acme, run, () => (heard += 1));
    await there.ready();
    here.publish(noticeOf(run, 1));
    await until(() => heard === 1_000, 'every listener hears it');
  });

  it('tells nobody of other runs, nor of the same run of another tenant', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    const heard = [hearing(there, aRun()), hearing(there, run, 'zenith' as TenantId), hearing(here, aRun())];
    const right = hearing(there, run);
    await there.ready();
    here.publish(noticeOf(run, 1));
    await until(() => right.length > 0, 'the right listener hears it');
    expect(heard).toEqual([[], [], []]);
  });

  it('tells listeners of a tenant of all its runs, and of no other tenant', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const runs = [aRun(), aRun()];
    const heard: EventNotice[][] = [[], []];
    const leave = [here, there].map((notices, i) => notices.subscribeAll(acme, (notice) => heard[i]!.push(notice)));
    await Promise.all([here.ready(), there.ready()]);
    here.publish(noticeOf(runs[0]!, 1, 'zenith' as TenantId));
    const published = runs.map((run, i) => ({ tenantId: acme, runId: run, fromSeq: i + 1, toSeq: i + 3 }));
    for (const notice of published) here.publish(notice);
    await until(() => heard.every(({ length }) => length === 2), 'both processes hear of both runs');
    expect(heard).toEqual([published, published]);
    const stay = [hearing(here, runs[0]!), hearing(there, runs[0]!)];
    leave.forEach((end) => end());
    here.publish(noticeOf(runs[0]!, 9));
    await until(() => stay.every((one) => one.includes(9)), 'those who stay hear it');
    expect(heard.map(({ length }) => length)).toEqual([2, 2]);
  });

  it('lets nobody be late who looks at the log first, at every notice, and when some may have been missed', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const log = new Map<RunId, number>();
    const known = new Map<RunId, number>();
    for (const tenantId of someTenants(200)) {
      const run = aRun();
      const look = () => void known.set(run, log.get(run) ?? 0);
      there.subscribe(tenantId, run, look, look);
      look();
      log.set(run, 1);
      here.publish(noticeOf(run, 1, tenantId));
      if (log.size % 10 === 0) await pause(1);
    }
    await until(() => [...known.values()].every((seq) => seq === 1), 'everybody knows the end of its log', 1_000);
  });

  it('hears a tenant again that nobody listened to for a moment', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const [earlier, run] = [aRun(), aRun()];
    there.subscribe(acme, earlier, () => undefined)();
    const heard = hearing(there, run);
    await there.ready();
    here.publish(noticeOf(run, 1));
    await until(() => heard.length === 1, 'the notice is heard');
  });

  it('shows text to those who watch the run, in every process', async () => {
    const [here, there] = [await someNotices(), await someNotices()];
    const run = aRun();
    const texts = ['', ''];
    const leave = [here, there].map((notices, i) =>
      notices.watch(acme, run, ({ source, offset, text }) => {
        expect(source).toBe('command');
        expect(offset).toBe(texts[i]!.length);
        texts[i] += text;
      }),
    );
    const strangers: TextDelta[] = [];
    there.watch('zenith' as TenantId, run, (delta) => strangers.push(delta));
    there.watch(acme, aRun(), (delta) => strangers.push(delta));
    await Promise.all([here.ready(), there.ready()]);

    const said = 'In the beginning "quotes" and \u0000 nulls, \u{1F600}. '.repeat(100);
    for (let at = 0; at < said.length; at += 7) here.show(textOf(run, at, said.slice(at, at + 7)));
    await until(() => texts.every((text) => text.length === said.length), 'everything is shown everywhere');
    expect(texts).toEqual([said, said]);
    expect(strangers).toEqual([]);

    let shown = 0;
    for (const notices of [here, there]) notices.watch(acme, run, () => (shown += 1));
    leave.forEach((end) => end());
    here.show(textOf(run, said.length, 'unseen'));
    await until(() => shown === 2, 'those who watch now are shown it');
    expect(texts).toEqual([said, said]);
  });

  it('tells a listener nothing after it left', async () => {
    const here = await someNotices();
    const run = aRun();
    const left: number[] = [];
    const leave = here.subscribe(acme, run, ({ toSeq }) => left.push(toSeq));
    const stays = hearing(here, run);
    leave();
    leave();
    here.publish(noticeOf(run, 1));
    await until(() => stays.length > 0, 'the other listener hears it');
    expect(left).toEqual([]);
  });

  it('does not let one failing listener silence the others', async () => {
    const here = await someNotices();
    const run = aRun();
    here.subscribe(acme, run, () => {
      throw new Error('broken listener');
    });
    const heard = hearing(here, run);
    here.publish(noticeOf(run, 1));
    await until(() => heard.length === 1, 'the other listener hears it');
  });

  it('is silent after it was closed, and throws nothing', async () => {
    const [here, there, other] = [await someNotices(), await someNotices(), await someNotices()];
    const run = aRun();
    const heard = [hearing(here, run), hearing(there, run)];
    await there.ready();
    await here.close();
    here.publish(noticeOf(run, 1));
    other.publish(noticeOf(run, 2));
    await until(() => heard[1]!.includes(2), 'a later notice is heard');
    expect(heard).toEqual([[], [2]]);
    await expect(here.ready()).rejects.toThrow();
  });
}

describe('notices in memory', () => {
  const channel = new InMemoryNoticeChannel();
  keepsTheContract(() => new InMemoryEventNotices(channel));
});

describe('notices on PostgreSQL', () => {
  let database: TestDatabase;
  const log = new RecordedLog();
  beforeAll(async () => void (database = await testDatabase()));
  afterAll(() => database.drop());
  const open = () => new PgEventNotices(database.connectionString, log);

  keepsTheContract(open);

  it('sends the notices of a busy run in few messages', async () => {
    const client = new pg.Client({ connectionString: database.connectionString });
    await client.connect();
    const messages: string[] = [];
    client.on('notification', ({ payload }) => messages.push(payload ?? ''));
    await client.query('LISTEN runyard_notices');
    const here = await ready(open());
    const run = aRun();
    for (let toSeq = 1; toSeq <= 50; toSeq += 1) {
      here.publish(noticeOf(run, toSeq));
      await setImmediate();
    }
    await until(() => messages.some((message) => message.includes(',50,')), 'the last notice is sent');
    expect(messages.length).toBeLessThanOrEqual(12);
    await client.end();
  });

  it('ignores messages that are no notices', async () => {
    const [here, there] = [await ready(open()), await ready(open())];
    const client = new pg.Client({ connectionString: database.connectionString });
    await client.connect();
    for (const text of ['', 'hello', '["x",[1,2,3]]'])
      await client.query("SELECT pg_notify('runyard_notices', $1)", [text]);
    await client.end();
    const run = aRun();
    const heard = hearing(there, run);
    here.publish(noticeOf(run, 1));
    await until(() => heard.length === 1, 'the notice is heard');
    expect(log.sentences).toContain('A message on the channel of run notices is not one');
  });

  it('makes a connection again that was cut', async () => {
    const [here, there] = [await ready(open()), await ready(open())];
    const client = new pg.Client({ connectionString: database.connectionString });
    await client.connect();
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'runyard notices'",
    );
    await client.end();
    const run = aRun();
    const heard = hearing(there, run);
    let toSeq = 0;
    await until(async () => {
      here.publish(noticeOf(run, (toSeq += 1)));
      await pause(25);
      return heard.length > 0;
    }, 'a notice is heard again');
  });
});

/** A server that dies: what the two servers have in common. */
function survivesItsServer(open: () => EventNotices, kill: () => Promise<void>, start: () => Promise<void>) {
  it('goes on alone while the server is away, and together once it is back', async () => {
    const [here, there] = [await ready(open()), await ready(open())];
    const run = aRun();
    const near = hearing(here, run);
    const far = hearing(there, run);
    let gaps = 0;
    there.subscribe(
      acme,
      run,
      () => undefined,
      () => (gaps += 1),
    );
    await there.ready();
    await kill();
    const before = gaps;
    for (let toSeq = 1; toSeq <= 10_000; toSeq += 1) here.publish(noticeOf(run, toSeq));
    await until(() => near.length >= 10_000, 'listeners of the same process hear everything');
    expect(near).toHaveLength(10_000);

    await start();
    await Promise.all([here.ready(), there.ready()]);
    await until(() => gaps > before, 'listeners are told that they missed something');
    here.publish(noticeOf(run, 10_001));
    await until(() => far.at(-1) === 10_001, 'the other process hears it');
  });

  it('begins by itself when the server comes after it', async () => {
    await kill();
    const here = open();
    opened.push(here);
    await pause(100);
    await start();
    await here.ready();
  });

  it('closes while the server is away', async () => {
    const here = await ready(open());
    await kill();
    const waiting = pause(50).then(() => here.ready());
    await pause(100);
    const began = performance.now();
    await here.close();
    await expect(waiting).rejects.toThrow(NoticesClosedError);
    expect(performance.now() - began).toBeLessThan(stretched(1_000));
    await start();
  });
}

describe('notices when their PostgreSQL dies', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.remove());

  survivesItsServer(
    () => new PgEventNotices(server.connectionString, new RecordedLog()),
    () => server.kill(),
    () => server.start(),
  );
});

describeWithRedis('notices on Redis', () => {
  let server: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
    client.on('error', () => undefined); // Some specs kill the server.
  });
  afterAll(async () => {
    client.disconnect();
    await server.remove();
  });
  const open = () => new RedisEventNotices(server.url, new RecordedLog());
  const channelsOf = (tenantId: TenantId) => [`runyard:notices:${tenantId}`, `runyard:deltas:${tenantId}`];
  /** How many processes listen to notices and to text of a tenant. */
  const listeners = async (tenantId: TenantId) => {
    const [, notices, , texts] = (await client.pubsub('NUMSUB', ...channelsOf(tenantId))) as number[];
    return [notices, texts];
  };

  keepsTheContract(open);

  it('listens to a tenant while somebody in the process does, and some seconds longer', async () => {
    const [here, there, elsewhere] = [await ready(open()), await ready(open()), await ready(open())];
    const [run, quiet] = [aRun(), 'quiet' as TenantId];
    const leave = [
      here.subscribeAll(quiet, () => undefined),
      there.subscribe(quiet, run, () => undefined),
      there.subscribe(quiet, aRun(), () => undefined),
      there.watch(quiet, run, () => undefined),
    ];
    await Promise.all([here.ready(), there.ready(), elsewhere.ready()]);
    expect(await listeners(quiet)).toEqual([2, 1]);
    leave.forEach((end) => end());
    expect(await listeners(quiet)).toEqual([2, 1]);
    await until(async () => (await listeners(quiet)).join() === '0,0', 'nobody listens any more', 8_000);
  });

  it('sends the notices of a tenant where those of no other one travel', async () => {
    const spy = client.duplicate();
    const heard: { channel: string; payload: string }[] = [];
    spy.on('pmessage', (_pattern, channel, payload) => heard.push({ channel, payload }));
    await spy.psubscribe('runyard:*');
    const here = await ready(open());
    const tenants = someTenants(300);
    for (let toSeq = 1; toSeq <= 5; toSeq += 1)
      for (const tenantId of tenants) here.publish(noticeOf(aRun(), toSeq, tenantId));
    await until(() => heard.filter(({ payload }) => payload.includes(',5,')).length === 300, 'all of it is sent');
    spy.disconnect();
    for (const { channel, payload } of heard)
      for (const [tenantId] of (JSON.parse(payload) as [string, ...[string][]]).slice(1) as [string][])
        expect(channel).toBe(`runyard:notices:${tenantId}`);
    // Published together, they travel together.
    expect(heard).toHaveLength(300);
  });

  it('hears every tenant again after its connection was cut, and says that some may have been missed', async () => {
    const [here, there] = [await ready(open()), await ready(open())];
    const runs = someTenants(300).map((tenantId) => ({ tenantId, run: aRun() }));
    const gaps = new Set<RunId>();
    const heard = runs.map(({ tenantId, run }) => {
      there.subscribe(
        tenantId,
        run,
        () => undefined,
        () => gaps.add(run),
      );
      return hearing(there, run, tenantId);
    });
    await there.ready();
    await until(() => gaps.size === 300, 'they are told once their channels are open');
    gaps.clear();
    await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => gaps.size === 300, 'they are told again');
    await there.ready();
    for (const { tenantId, run } of runs) here.publish(noticeOf(run, 1, tenantId));
    await until(() => heard.every(({ length }) => length === 1), 'every tenant is heard');
  });

  it('says that Redis refuses its channels', async () => {
    await client.acl('SETUSER', 'narrow', 'on', '>secret', '~*', '+@all', 'resetchannels', '&other:*');
    const log = new RecordedLog();
    const there = new RedisEventNotices(server.url.replace('//', '//narrow:secret@'), log);
    opened.push(there);
    await there.ready();
    hearing(there, aRun());
    await there.ready();
    expect(log.sentences).toEqual(['Redis refuses a channel of run notices; readers look by themselves']);
  });

  survivesItsServer(
    open,
    () => server.kill(),
    () => server.start(),
  );
});
