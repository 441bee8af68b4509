import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { components } from '#libs/api-client';
import { DEFAULT_TENANT, newUlid } from '#libs/kernel';
import { command, workflow } from '../support/api-caller.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis } from '../support/redis-server.js';
import { testServer } from '../support/server.js';
import { specServer } from '../support/spec-server.js';
import { until } from '../support/until.js';

type Schemas = components['schemas'];
type Pruned = Schemas['PruneRunsResponse'];

const SYSTEM = '/api/v1/system';
const trivial = workflow('start -> exit');
const long = workflow(`${command('long', 'sleep 60')} start -> long -> exit`);

const server = await specServer({ limit: 2 });
const { caller } = server;

const get = async <T>(path: string, by = caller) => (await by.send<T>('GET', `${SYSTEM}${path}`)).body;
const prune = async (body: unknown, by = caller) =>
  (await by.send<Pruned>('POST', `${SYSTEM}/prune/runs`, { body })).body;
const ids = ({ runs }: Pruned) => runs?.map(({ run_id }) => run_id);
const put = (key: string, text: string) => server.platform.objects.put(key, new TextEncoder().encode(text));

describe('the state of the server', () => {
  it('is told with what it does now', async () => {
    const run = await caller.begin(long);
    await caller.logs(run.id, 'command.started');
    const queued = [await caller.begin(long), await caller.begin(long)];
    const info = await get<Schemas['SystemInfoResponse']>('/info');
    expect(info).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      os: process.platform,
      storage_engine: 'postgresql',
      storage_dir: server.host.stateDirectory,
      sandbox_provider: 'local',
      runs: { total: 3, active: 3, scheduler_slots_used: 2 },
    });
    const resources = await get<Schemas['SystemResourcesResponse']>('/resources');
    expect(resources.scheduler).toMatchObject({
      slots_limit: 2,
      slots_in_use: 2,
      runs_queued: 1,
      leases_expired: 0,
      stuck_rows: 0,
      workers_alive: 1,
      workers_missing: 0,
    });
    expect(resources.memory.total_bytes).toBeGreaterThan(0);
    expect(resources.disk).toMatchObject({ supported: true, storage_path: server.host.stateDirectory });
    for (const { id } of [...queued, run]) await caller.cancel(id);
    for (const { id } of [...queued, run]) await caller.ends(id);
  });

  it('counts the runs of the caller only', async () => {
    const { runs } = await get<Schemas['SystemInfoResponse']>('/info', await server.stranger());
    expect(runs).toEqual({ total: 0, active: 0, scheduler_slots_used: 0 });
  });

  it('is judged', async () => {
    const { status, checks } = await get<Schemas['SystemCheckResponse']>('/check');
    expect([status, checks.filter((check) => check.status !== 'pass')]).toEqual(['pass', []]);
    expect(checks.map(({ name }) => name)).toEqual([
      'readiness',
      'workers',
      'slots',
      'leases',
      'upkeep',
      'stuck rows',
      'read models',
    ]);
  });

  it('is sent to scrapers, without a word about runs or tenants', async () => {
    const { id } = await caller.finish(trivial);
    const { status, text } = await caller.send('GET', '/metrics');
    expect(status).toBe(200);
    expect(text).toContain('runyard_slots_limit 2\n');
    expect(text).toContain('runyard_workers{state="alive"} 1\n');
    expect(text).toMatch(/runyard_append_flush_events_count [1-9]/);
    expect(text).toMatch(/runyard_upkeep_lag_seconds\{duty="wake and promote"\} \d/);
    expect(text).toMatch(
      /runyard_http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/runs",status="201"\} \d/,
    );
    expect(text).not.toContain(id);
    expect(text).not.toContain(DEFAULT_TENANT);
  });

  it('counts open streams', async () => {
    const streams = async () => /runyard_open_streams (\d+)/.exec((await caller.send('GET', '/metrics')).text)?.[1];
    const { id } = await caller.begin(long);
    const closing = new AbortController();
    const headers = { authorization: `Bearer ${caller.token}` };
    await fetch(`${server.url}/api/v1/runs/${id}/attach`, { headers, signal: closing.signal });
    expect(await streams()).toBe('1');
    closing.abort();
    await until(async () => (await streams()) === '0', 'the stream is gone');
    await caller.cancel(id);
    await caller.ends(id);
  });
});

describe('what runs take', () => {
  it('is told in sum and for each run, with its outputs', async () => {
    const { id } = await caller.finish(trivial);
    const before = await get<Schemas['DiskUsageResponse']>('/df');
    expect(before.runs).toBeNull();
    await put(`${DEFAULT_TENANT}/runs/${id}/outputs/a`, 'x'.repeat(5_000));
    await put(`${DEFAULT_TENANT}/runs/${id}/outputs/b`, 'x'.repeat(2_000));
    const after = await get<Schemas['DiskUsageResponse']>('/df?verbose=true');
    const logs = (usage: typeof after) => usage.summary.find(({ type }) => type === 'logs')!;
    expect(logs(after).size_bytes - logs(before).size_bytes).toBe(7_000);
    expect(logs(after).reclaimable_bytes! - logs(before).reclaimable_bytes!).toBe(7_000);
    expect(after.total_size_bytes).toBe(after.summary.reduce((sum, { size_bytes }) => sum + size_bytes, 0));
    const row = after.runs!.find(({ run_id }) => run_id === id)!;
    expect(row).toMatchObject({ status: 'succeeded', reclaimable: true });
    expect(row.size_bytes).toBeGreaterThan(7_000);
    expect((await caller.send('GET', `${SYSTEM}/df?verbose=much`)).status).toBe(400);
  });
});

describe('pruning', () => {
  it('lists what it would remove, removes it when it is told to, and never what is not over', async () => {
    const labels = { part: newUlid(Date.now()) };
    const args = { label: Object.entries(labels).map((entry) => entry.join('=')) };
    const done = await caller.finish(trivial, { args });
    const active = await caller.begin(long, { args });
    await put(`${DEFAULT_TENANT}/runs/${done.id}/outputs/a`, 'x'.repeat(3_000));

    const listed = await prune({ labels });
    expect(ids(listed)).toEqual([done.id]);
    expect(listed).toMatchObject({ dry_run: true, total_count: 1, deleted_count: 0, freed_bytes: 0 });
    expect(listed.total_size_bytes).toBeGreaterThan(3_000);
    expect((await caller.get(done.id)).id).toBe(done.id);

    const removed = await prune({ labels, dry_run: false });
    expect(removed).toMatchObject({ dry_run: false, runs: null, total_count: 1, deleted_count: 1 });
    expect(removed.freed_bytes).toBeGreaterThan(3_000);
    expect((await caller.send('GET', `/api/v1/runs/${done.id}`)).status).toBe(404);
    expect(await prune({ labels, dry_run: false })).toMatchObject({ total_count: 0, deleted_count: 0 });
    await caller.cancel(active.id);
    await caller.ends(active.id);
  });

  it('spares what ended within a day unless a filter narrows it', async () => {
    const { id } = await caller.finish(trivial);
    expect(ids(await prune({}))).not.toContain(id);
    expect(ids(await prune({ older_than: '0h' }))).toContain(id);
    expect(ids(await prune({ before: '9999' }))).toContain(id);
    expect(ids(await prune({ before: '9999', older_than: '1h' }))).not.toContain(id);
  });

  it('sees the runs of the caller only', async () => {
    await caller.finish(trivial);
    expect(await prune({ older_than: '0h' }, await server.stranger())).toMatchObject({ total_count: 0 });
  });

  it('finds what removed runs left behind, by the age in their id', async () => {
    const [old, young, standing] = ['01J0000000000000000000000A', newUlid(Date.now()), await caller.finish(trivial)];
    for (const id of [old, young, standing.id]) await put(`${DEFAULT_TENANT}/runs/${id}/outputs/a`, 'abc');
    expect(await prune({ orphans: true })).toMatchObject({
      runs: [{ run_id: old, workflow_name: '', size_bytes: 3 }],
    });
    expect(ids(await prune({ orphans: true, workflow: 'x' }))).toEqual([]);
    expect(await prune({ orphans: true, older_than: '0h', dry_run: false })).toMatchObject({ deleted_count: 2 });
    expect(await prune({ orphans: true, older_than: '0h' })).toMatchObject({ total_count: 0 });
    expect(await server.platform.objects.get(`${DEFAULT_TENANT}/runs/${standing.id}/outputs/a`)).toBeDefined();
  });
});

/** As the owner of the schema: nobody else may. */
async function tearOut(runId: string, seq: number): Promise<void> {
  const owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
  await owner.query('DELETE FROM run_events WHERE run_id = $1 AND seq = $2', [runId, seq]);
  await owner.end();
}

describe('repair', () => {
  it('names runs whose log is not whole, which can then be deleted', async () => {
    const unreadable = () => get<Schemas['SystemRepairRunsResponse']>('/repair/runs');
    expect(await unreadable()).toEqual({ runs: [], total_count: 0 });
    const { id } = await caller.finish(trivial);
    await tearOut(id, 2);
    expect(await unreadable()).toMatchObject({
      runs: [{ run_id: id, error: expect.stringContaining('should have') }],
      total_count: 1,
    });
    expect(await get('/repair/runs', await server.stranger())).toMatchObject({ total_count: 0 });
    expect((await caller.send('DELETE', `/api/v1/runs/${id}`)).status).toBe(204);
    expect(await unreadable()).toMatchObject({ total_count: 0 });
  });
});

describeWithRedis('a server on Redis', () => {
  it('is ready while it only rings, and where it hears the queue once a probe of its own came round', async () => {
    const redis = await startRedis();
    const onRedis = await testServer({ redisUrl: redis.url, worker: false });
    const ready = async () => (await onRedis.caller.send('GET', '/ready')).status === 200;
    try {
      expect([await ready(), onRedis.platform.bell.heardAgoMs()]).toEqual([true, null]);
      await onRedis.startWorker();
      await until(ready, 'the probe came round', 15_000);
      expect(onRedis.platform.bell.heardAgoMs()).toBeLessThan(30_000);
    } finally {
      await onRedis.close();
      await redis.remove();
    }
  });
});
