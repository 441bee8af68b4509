import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createPostgresBackend, Queue } from 'bullmq';
import { newUlid, type RunId, type TenantId } from '#libs/kernel';
import { BullMqRunBell, QueueUnavailableError } from '#libs/queue';
import type { RunBell, RunHint } from '#libs/scheduling';
import { startPostgres, testDatabase, type PostgresServer, type TestDatabase } from '../support/embedded-postgres.js';
import { InMemoryHintQueue, InMemoryRunBell } from '../support/in-memory-run-bell.js';
import { RecordedLog } from '../support/recorded-log.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { stretched } from '../support/stretched.js';
import { until } from '../support/until.js';

const acme = 'acme:eu' as TenantId;
const aHint = (epoch = 0, tenantId = acme): RunHint => ({ tenantId, runId: newUlid(Date.now()) as RunId, epoch });
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const bells: RunBell[] = [];
function opened<T extends RunBell>(bell: T): T {
  bells.push(bell);
  return bell;
}
afterEach(async () => {
  await Promise.all(bells.splice(0).map((bell) => bell.close()));
});

/** Every call of `aBell` is another process on the same queue. The queue is empty when a test begins. */
function keepsTheContract(aBell: () => RunBell) {
  it('carries hints from one process to another', async () => {
    const hints = [aHint(), aHint(3), aHint(12, 'zenith' as TenantId)];
    const heard: RunHint[] = [];
    await aBell().listen(1, async (hint) => void heard.push(hint));
    await aBell().ring(hints);
    await until(() => heard.length === 3, 'three hints are heard');
    expect(heard).toEqual(expect.arrayContaining(hints));
  });

  it('keeps hints until somebody listens', async () => {
    const hint = aHint();
    await aBell().ring([hint]);
    const heard: RunHint[] = [];
    await aBell().listen(1, async (hint) => void heard.push(hint));
    await until(() => heard.length === 1, 'the hint is heard');
    expect(heard).toEqual([hint]);
  });

  it('rings again for a hint that was heard', async () => {
    const bell = aBell();
    const hint = aHint();
    const heard: RunHint[] = [];
    await bell.listen(1, async (hint) => void heard.push(hint));
    for (const times of [1, 2, 3]) {
      await until(async () => {
        await bell.ring([hint]);
        return heard.length >= times;
      }, `the hint is heard ${times} times`);
    }
  });

  it('rings once for a hint that still waits', async () => {
    const bell = aBell();
    const hint = aHint();
    await bell.ring([hint, hint]);
    await bell.ring([hint]);
    const heard: RunHint[] = [];
    await bell.listen(4, async (hint) => void heard.push(hint));
    const later = aHint();
    await bell.ring([later]);
    await until(() => heard.some(({ runId }) => runId === later.runId), 'a later hint is heard');
    expect(heard).toEqual([hint, later]);
  });

  it('handles as many hints at a time as it was told, and no more', async () => {
    const bell = aBell();
    let atOnce = 0;
    let most = 0;
    let done = 0;
    await bell.listen(3, async () => {
      most = Math.max(most, (atOnce += 1));
      await pause(30);
      atOnce -= 1;
      done += 1;
    });
    await bell.ring(Array.from({ length: 12 }, () => aHint()));
    await until(() => done === 12, 'twelve hints are handled');
    expect(most).toBe(3);
  });

  it('gives each of many hints to one of several listeners', async () => {
    const heard: string[] = [];
    for (const bell of [aBell(), aBell()]) await bell.listen(4, async ({ runId }) => void heard.push(runId));
    const hints = Array.from({ length: 300 }, () => aHint());
    await aBell().ring(hints);
    await until(() => heard.length >= 300, 'all hints are heard');
    expect(heard.sort()).toEqual(hints.map(({ runId }) => runId).sort());
  });

  it('goes on after a handler failed, and drops that hint', async () => {
    const bell = aBell();
    const [bad, good] = [aHint(), aHint()];
    const heard: RunHint[] = [];
    await bell.listen(1, async (hint) => {
      heard.push(hint);
      if (hint.runId === bad.runId) throw new Error('no claim today');
    });
    await bell.ring([bad]);
    await until(() => heard.length === 1, 'the bad hint is heard');
    await bell.ring([good]);
    await until(() => heard.length > 1, 'the good hint is heard');
    const last = aHint();
    await bell.ring([last]);
    await until(() => heard.some(({ runId }) => runId === last.runId), 'a later hint is heard');
    expect(heard).toEqual([bad, good, last]);
  });

  it('waits for the handlers under way when it stops, and hears nothing after', async () => {
    const bell = aBell();
    const heard: RunHint[] = [];
    let finished = 0;
    const stop = await bell.listen(1, async (hint) => {
      heard.push(hint);
      await pause(100);
      finished += 1;
    });
    await bell.ring([aHint()]);
    await until(() => heard.length === 1, 'the hint is heard');
    await stop();
    expect(finished).toBe(1);

    let others = 0;
    await aBell().listen(1, async () => void others++);
    await bell.ring([aHint()]);
    await until(() => others === 1, 'the hint is heard elsewhere');
    expect(heard).toHaveLength(1);
  });

  it('makes a round trip when somebody listens, and none when nobody does', async () => {
    const bell = aBell();
    expect(await bell.roundTrip(200)).toBe(false);
    const heard: RunHint[] = [];
    const stop = await aBell().listen(1, async (hint) => void heard.push(hint));
    expect(await bell.roundTrip(5_000)).toBe(true);
    expect(heard).toEqual([]);
    await stop();
    expect(await bell.roundTrip(200)).toBe(false);
  });

  it('tells when this process last heard something, of whoever sent it', async () => {
    const [sender, hearer] = [aBell(), aBell()];
    expect(hearer.heardAgoMs()).toBeNull();
    const stop = await hearer.listen(1, async () => undefined);
    expect(hearer.heardAgoMs()).toBe(Infinity);
    await sender.roundTrip(5_000);
    expect(hearer.heardAgoMs()).toBeLessThan(5_000);
    await pause(60);
    expect(hearer.heardAgoMs()).toBeGreaterThanOrEqual(50);
    const rungAtMs = performance.now();
    await sender.ring([aHint()]);
    await until(() => performance.now() - hearer.heardAgoMs()! > rungAtMs, 'the hint is heard');
    expect(sender.heardAgoMs()).toBeNull();
    await stop();
    expect(hearer.heardAgoMs()).toBeNull();
  });

  it('takes no hints without complaint', async () => {
    await expect(aBell().ring([])).resolves.toBeUndefined();
  });
}

describe('the run bell in memory', () => {
  let queue = new InMemoryHintQueue();
  afterEach(() => void (queue = new InMemoryHintQueue()));
  keepsTheContract(() => opened(new InMemoryRunBell(queue)));
});

/** Jobs that another program, or a mistake, put into the queue. */
const foreignJobs = [
  { name: 'mail', data: { to: 'someone' } },
  { name: 'hint', data: {} },
  { name: 'hint', data: { tenantId: 'acme', runId: 'b' }, opts: { jobId: 'run-acme-a-1' } },
];

describe('the run bell on PostgreSQL', () => {
  let database: TestDatabase;
  let namespace = 0;
  const log = new RecordedLog();
  beforeAll(async () => void (database = await testDatabase()));
  afterEach(() => void (namespace += 1));
  afterAll(() => database.drop());

  const aBell = () =>
    opened(BullMqRunBell.onPostgres(database.connectionString, { log, namespace: `bell_${namespace}` }));
  keepsTheContract(aBell);

  it('drops what is not a hint', async () => {
    const bell = aBell();
    const hint = aHint();
    const heard: RunHint[] = [];
    await bell.listen(1, async (hint) => void heard.push(hint));
    const connection = { connectionString: database.connectionString, schema: `bell_${namespace}` };
    const queue = new Queue('runs', { connection }, createPostgresBackend);
    await queue.addBulk(foreignJobs);
    await bell.ring([hint]);
    await until(() => heard.length > 0, 'the hint is heard');
    expect(heard).toEqual([hint]);
    expect(log.sentences.filter((line) => line === 'A job in the run queue is not a hint')).toHaveLength(3);
    await until(async () => (await queue.count()) === 0, 'nothing is left');
    expect(await queue.getJobCounts()).toMatchObject({ failed: 0, completed: 0 });
    await queue.close();
  });

  it('wakes an idle listener at once', async () => {
    const bell = aBell();
    const waits: number[] = [];
    let rungAt = 0;
    await bell.listen(1, async () => void waits.push(performance.now() - rungAt));
    for (let round = 1; round <= 15; round += 1) {
      await pause(30);
      rungAt = performance.now();
      await bell.ring([aHint()]);
      await until(() => waits.length === round, 'the hint is heard');
    }
    expect(waits.sort((a, b) => a - b)[7]).toBeLessThan(stretched(50));
  });
});

describe('the run bell when its PostgreSQL dies', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.remove());

  it('refuses quickly, and carries hints again once it is back', async () => {
    const log = new RecordedLog();
    const bell = opened(BullMqRunBell.onPostgres(server.connectionString, { log }));
    const heard: RunHint[] = [];
    await bell.listen(2, async (hint) => void heard.push(hint));
    await bell.ring([aHint()]);
    await until(() => heard.length === 1, 'the first hint is heard');

    await server.kill();
    const began = performance.now();
    await expect(bell.ring([aHint()])).rejects.toThrow(QueueUnavailableError);
    expect(performance.now() - began).toBeLessThan(stretched(1_500));
    expect(await bell.roundTrip(300)).toBe(false);

    await server.start();
    const late = aHint();
    await until(
      () =>
        bell.ring([late]).then(
          () => true,
          () => false,
        ),
      'the bell rings again',
    );
    await until(() => heard.some(({ runId }) => runId === late.runId), 'the late hint is heard');
    expect(await bell.roundTrip(5_000)).toBe(true);
    expect(log.sentences).toContain('The hearing end of the run queue has an error');
  });
});

describeWithRedis('the run bell on Redis', () => {
  let server: RedisServer;
  let namespace = 0;
  const log = new RecordedLog();
  beforeAll(async () => void (server = await startRedis()));
  afterEach(() => void (namespace += 1));
  afterAll(() => server.remove());

  const aBell = () => opened(BullMqRunBell.onRedis(server.url, { log, namespace: `bell-${namespace}` }));
  keepsTheContract(aBell);

  it('drops what is not a hint', async () => {
    const bell = aBell();
    const hint = aHint();
    const heard: RunHint[] = [];
    await bell.listen(1, async (hint) => void heard.push(hint));
    const queue = new Queue('runs', { connection: { url: server.url }, prefix: `bell-${namespace}` });
    await queue.addBulk(foreignJobs);
    await bell.ring([hint]);
    await until(() => heard.length > 0, 'the hint is heard');
    expect(heard).toEqual([hint]);
    expect(log.sentences.filter((line) => line === 'A job in the run queue is not a hint')).toHaveLength(3);
    await until(async () => (await queue.count()) === 0, 'nothing is left');
    expect(await queue.getJobCounts()).toMatchObject({ failed: 0, completed: 0 });
    await queue.close();
  });

  it.each([
    ['dies', () => server.kill(), () => server.start()],
    ['freezes', async () => server.freeze(), async () => server.thaw()],
  ])('refuses quickly when the server %s, and carries hints again once it is back', async (_, fail, recover) => {
    const bell = aBell();
    const heard: RunHint[] = [];
    await bell.listen(2, async (hint) => void heard.push(hint));
    await bell.ring([aHint()]);
    await until(() => heard.length === 1, 'the first hint is heard');

    await fail();
    const began = performance.now();
    await expect(bell.ring([aHint()])).rejects.toThrow(QueueUnavailableError);
    expect(performance.now() - began).toBeLessThan(stretched(1_500));

    await recover();
    const late = aHint();
    await until(
      () =>
        bell.ring([late]).then(
          () => true,
          () => false,
        ),
      'the bell rings again',
    );
    await until(() => heard.some(({ runId }) => runId === late.runId), 'the late hint is heard');
  });

  it('begins to carry hints when the server comes after it', async () => {
    await server.kill();
    const bell = aBell();
    const heard: RunHint[] = [];
    await bell.listen(1, async (hint) => void heard.push(hint));
    await expect(bell.ring([aHint()])).rejects.toThrow(QueueUnavailableError);
    await server.start();
    await until(
      () =>
        bell.ring([aHint()]).then(
          () => true,
          () => false,
        ),
      'the bell rings',
    );
    await until(() => heard.length > 0, 'a hint is heard');
  });

  it('closes while the server is away', async () => {
    const bell = aBell();
    await bell.listen(1, async () => undefined);
    await bell.ring([aHint()]);
    await server.kill();
    const began = performance.now();
    await bell.close();
    expect(performance.now() - began).toBeLessThan(stretched(3_000));
    await server.start();
  });
});
