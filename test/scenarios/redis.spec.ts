import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { command, workflow, type ApiCaller } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { startWorkerProcess, type TestProcess } from '../support/processes.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { SseClient } from '../support/sse-client.js';
import { until } from '../support/until.js';
import { testServer, type TestServer } from '../support/server.js';
import { stretched } from '../support/stretched.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describeWithRedis('API and worker processes that share a Redis', () => {
  const limit = 2;
  const quick = workflow(`${command('a', 'true')} start -> a -> exit`);
  const slow = workflow(`${command('a', 'sleep 2')} start -> a -> exit`);
  const patient = workflow('rest [shape=insulator, duration="3s"] start -> rest -> exit');

  let redis: RedisServer;
  let server: TestServer;
  let worker: TestProcess;
  let caller: ApiCaller;
  beforeAll(async () => {
    redis = await startRedis();
    server = await testServer({ limit, redisUrl: redis.url, worker: false });
    const { databaseUrl, host } = server;
    const { stateDirectory } = host;
    worker = await startWorkerProcess({ databaseUrl, stateDirectory, limit, redisUrl: redis.url });
    caller = server.caller;
  });
  afterAll(async () => {
    const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit });
    await worker.kill();
    await server.close();
    await redis.remove();
    expect(faults).toEqual([]);
    expect(worker.exit).toBe('SIGKILL');
    expect(worker.output).not.toContain('A drive failed.');
  });

  const succeeded = async (ids: readonly string[]): Promise<void> => {
    const runs = await Promise.all(ids.map((id) => caller.ends(id, 20_000)));
    expect(runs.map(({ lifecycle }) => lifecycle.status.kind)).toEqual(ids.map(() => 'succeeded'));
  };

  /** From its creation, with a slot free all the time. */
  const waitedMs = async (id: string): Promise<number> => {
    const { started_at, created_at } = (await caller.ends(id)).timestamps;
    return Date.parse(started_at!) - Date.parse(created_at);
  };

  it('bring a run to its end, and the bell is heard before anybody looks', async () => {
    await succeeded([(await caller.begin(quick)).id]);
    const { id } = await caller.begin(quick);
    expect(await waitedMs(id)).toBeLessThan(stretched(1_000));
  });

  it('tell followers what the other process does before anybody looks', async () => {
    const { id } = await caller.create(slow);
    const follower = new SseClient(`${server.url}/api/v1/runs/${id}/attach`, { token: caller.token! });
    const everyRun = new SseClient(`${server.url}/api/v1/attach?run_id=${id}`, { token: caller.token! });
    await until(() => follower.lastSeq === 2 && everyRun.headers !== undefined, 'the streams are open');
    await caller.start(id);
    const ended = Date.parse((await caller.ends(id)).timestamps.completed_at!);
    await until(
      () => follower.isOver && everyRun.frames.length === follower.frames.length - 2,
      'everything is shown',
      4_000,
    );
    expect(Date.now() - ended).toBeLessThan(stretched(1_500));
    everyRun.leave();
  });

  it('lose nothing when Redis forgets everything', async () => {
    const sources = [slow, patient, slow, quick, quick, quick];
    const ids: string[] = [];
    for (const source of sources) ids.push((await caller.begin(source)).id);
    await caller.logs(ids[0]!, 'command.started');
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await succeeded([...ids, (await caller.begin(quick)).id]);
  });

  it('lose nothing while Redis is away, and go on without it', async () => {
    const before = [(await caller.begin(slow)).id, (await caller.begin(patient)).id];
    await redis.kill();
    const killedAtMs = performance.now();

    const during = [];
    for (let i = 0; i < 4; i++) during.push((await caller.begin(quick)).id);
    await succeeded([...before, ...during]);
    const cancelled = await caller.create(quick);
    expect((await caller.cancel(cancelled.id)).lifecycle.status.kind).toBe('failed');
    await pause(5_000 - (performance.now() - killedAtMs));

    await redis.start();
    const after = await Promise.all(Array.from({ length: 4 }, () => caller.begin(quick)));
    await succeeded(after.map(({ id }) => id));
  });

  it('lose nothing when Redis keeps its connections and answers nobody', async () => {
    redis.freeze();
    try {
      const { id } = await caller.begin(quick);
      expect(await waitedMs(id)).toBeLessThan(stretched(5_000));
      await succeeded([id, (await caller.begin(patient)).id]);
    } finally {
      redis.thaw();
    }
    await succeeded([(await caller.begin(quick)).id]);
  });
});
