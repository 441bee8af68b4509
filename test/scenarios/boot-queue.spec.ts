import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { DEFAULT_TENANT } from '#libs/kernel';
import { command, workflow } from '../support/api-caller.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startWorkerProcess } from '../support/processes.js';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { testServer, type TestServer } from '../support/server.js';

describeWithRedis('a worker that finds a queue full of what it never asked for', () => {
  let redis: RedisServer;
  let server: TestServer;
  beforeAll(async () => {
    redis = await startRedis();
    server = await testServer({ redisUrl: redis.url, worker: false });
  });
  afterAll(async () => {
    await server.close();
    await redis.remove();
  });

  /** A hint as the server would make it, whatever the run. */
  const hint = (runId: string, epoch: number) => ({
    name: 'hint',
    data: { tenantId: DEFAULT_TENANT as string, runId },
    opts: { jobId: `run-${DEFAULT_TENANT}-${encodeURIComponent(runId)}-${epoch}` },
  });

  async function fill(runId: string): Promise<void> {
    const queue = new Queue('runs', { connection: { url: redis.url }, prefix: 'runyard' });
    const foreign = [
      { name: 'mail', data: { to: 'someone' } },
      { name: 'hint', data: [1, 2], opts: { attempts: 5, removeOnFail: false } },
      hint('x\0y', 1),
    ];
    const stale = [hint('01JZZZZZZZZZZZZZZZZZZZZZZZ', 1), hint(runId, 7), hint(runId, 8), hint(runId, 9)];
    await queue.addBulk([...foreign, ...stale]);
    await queue.close();

    const client = new Redis(redis.url);
    await client.hset('runyard:runs:broken', { name: 'hint', data: '{not json', opts: '{}', timestamp: '1' });
    await client.lpush('runyard:runs:wait', 'broken', 'never-added');
    await client.quit();
  }

  it('says what it is, drives the run once, and hears the next bell', async () => {
    const { caller, databaseUrl, host, limit } = server;
    const source = workflow(`${command('a', 'true')} start -> a -> exit`);
    const { id } = await caller.begin(source);
    await fill(id);
    const { stateDirectory } = host;
    const worker = await startWorkerProcess({ databaseUrl, stateDirectory, limit, redisUrl: redis.url });

    for (const run of [id, (await caller.begin(source)).id]) {
      expect((await caller.ends(run, 20_000)).lifecycle.status.kind).toBe('succeeded');
      const claims = (await caller.events(run)).filter(({ event }) => event === 'run.claimed');
      expect(claims).toHaveLength(1);
    }
    expect(worker.output.match(/A job in the run queue is not a hint/g)?.length).toBeGreaterThanOrEqual(3);
    expect(worker.output).toContain('The hearing end of the run queue has an error');
    expect(worker.output).not.toContain('Claiming runs failed');
    expect(worker.exit).toBeUndefined();
    worker.signal('SIGTERM');
    expect(await worker.gone(20_000)).toBe(0);
  });
});
