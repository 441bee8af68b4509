import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SystemFigures } from '#libs/persistence';
import { DatabaseUnavailableError } from '#libs/persistence';
import { createLogger } from './logger.js';
import { Metrics } from './metrics/metrics.js';
import { ProcessMetrics } from './metrics/process-metrics.js';
import { listenForOperators, type OperationsListener } from './operations-listener.js';

const FIGURES: SystemFigures = {
  slots: { limit: 5, held: 2, queued: 7, parked: 1 },
  leases: { held: 1, expired: 1 },
  waiting: { forSlotMs: 12_345, forWorkerMs: 500 },
  stuck: { queued: 0, parked: 4, held: 0, cancelled: 0 },
  workers: { alive: 2, missing: 1 },
  views: { comparedAgoMs: 90_000, mended: 3, mendedAgoMs: 500 },
};

let listener: OperationsListener;
let faults: string[];
let figures: () => Promise<SystemFigures>;
let own: ProcessMetrics;

beforeEach(async () => {
  faults = [];
  figures = async () => FIGURES;
  own = new ProcessMetrics({
    upkeep: { report: () => [{ name: 'wake and promote', everyMs: 2_000, lagMs: 2_500, failures: 4 }] },
    connections: () => ({ open: 3, idle: 1, awaited: 0 }),
  });
  const metrics = new Metrics(own, () => figures());
  const readiness = { faults: async () => faults };
  listener = await listenForOperators(
    { host: '127.0.0.1', port: 0 },
    { readiness, metrics },
    createLogger('silent', 'x'),
  );
});
afterEach(() => listener.close());

const get = async (path: string, method = 'GET') => {
  const answer = await fetch(`${listener.address}${path}`, { method });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const lines = async () => (await get('/metrics')).text.split('\n');

describe('the listener for operators', () => {
  it('tells that the process lives, whatever it is ready for', async () => {
    faults = ['The database does not answer.'];
    expect(await get('/health')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });

  it('tells whether it is ready, and why not', async () => {
    expect(await get('/ready?verbose=1')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    faults = ['The database does not answer.'];
    const { status, text } = await get('/ready');
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'unready', faults }]);
  });

  it('sends the figures of the server in seconds and by kind', async () => {
    expect((await get('/metrics')).type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'runyard_database_up 1',
        'runyard_slots_limit 5',
        'runyard_slots_in_use 2',
        'runyard_runs_queued 7',
        'runyard_runs_parked 1',
        'runyard_runnable_age_seconds{waiting_for="slot"} 12.345',
        'runyard_runnable_age_seconds{waiting_for="worker"} 0.5',
        'runyard_leases{state="expired"} 1',
        'runyard_stuck_rows{kind="parked"} 4',
        'runyard_stuck_rows{kind="held"} 0',
        'runyard_workers{state="alive"} 2',
        'runyard_views_compared_age_seconds 90',
        'runyard_views_mended 3',
      ]),
    );
  });

  it('sends the figures of this process', async () => {
    own.workers.add({ slots: 4, slotsInUse: 3 }).add({ slots: 2, slotsInUse: 0 });
    own.streams.add(() => 9);
    own.flushed({ events: 7, ms: 3 });
    own.requests.observe({ method: 'GET', route: '/api/v1/runs/:id', status: 200 }, 0.02);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'runyard_upkeep_lag_seconds{duty="wake and promote"} 2.5',
        'runyard_upkeep_interval_seconds{duty="wake and promote"} 2',
        'runyard_upkeep_failures_total{duty="wake and promote"} 4',
        'runyard_database_connections{state="open"} 3',
        'runyard_worker_slots 6',
        'runyard_worker_slots_in_use 3',
        'runyard_open_streams 9',
        'runyard_append_flush_duration_seconds_bucket{le="0.005"} 1',
        'runyard_append_flush_events_sum 7',
        'runyard_http_request_duration_seconds_count{method="GET",route="/api/v1/runs/:id",status="200"} 1',
      ]),
    );
    expect(await lines()).toContain('runyard_upkeep_failures_total{duty="wake and promote"} 4');
  });

  it('keeps no figure of a server whose database is away', async () => {
    await lines();
    figures = () => Promise.reject(new DatabaseUnavailableError(new Error('ECONNREFUSED')));
    const text = (await lines()).join('\n');
    expect(text).toContain('runyard_database_up 0');
    expect(text).toContain('runyard_upkeep_lag_seconds');
    expect(text).not.toContain('runyard_slots_in_use');
  });

  it('answers a fault of its own with 500 and nothing of its cause', async () => {
    figures = () => Promise.reject(new Error('secret'));
    const { status, text } = await get('/metrics');
    expect([status, text]).toEqual([500, expect.not.stringContaining('secret')]);
  });

  it('knows nothing else', async () => {
    expect(await get('/api/v1/runs')).toMatchObject({ status: 404, text: expect.stringContaining('/metrics') });
    expect((await get('/metrics', 'POST')).status).toBe(405);
  });
});
