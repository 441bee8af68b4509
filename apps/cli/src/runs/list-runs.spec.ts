import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createRunyardClient, type RunyardClient } from '#libs/api-client';
import { FakeServer, json } from '../../../../test/support/cli/fake-server.js';
import { aRun } from '../../../../test/support/cli/samples.js';
import { listRuns } from './list-runs.js';
import type { Run, RunFilter } from './run-filter.js';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-01-02T03:04:05.000Z');

let server: FakeServer;
let client: RunyardClient;
let pages: Run[][];

beforeEach(async () => {
  server = await FakeServer.listen();
  client = createRunyardClient({ server: server.url });
  server.on('GET /api/v1/runs', (request, response, body) => {
    const data = pages.shift() ?? [];
    const next = pages.length > 0 && { next_cursor: `page-${pages.length}` };
    json(200, { data, meta: { has_more: pages.length > 0, total: 9, ...next } })(request, response, body);
  });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

/** A run, by the number that ends its id, that began so many hours before now. */
function run(number: number, status: Run['lifecycle']['status'], facts: Partial<Run> = {}, hours = number): Run {
  const shown = aRun(`01K2ZP6Q8V9Y3T5N7M1R4S6X0${number}`, status);
  shown.timestamps.created_at = new Date(NOW - hours * HOUR_MS).toISOString();
  return { ...shown, ...facts };
}
const active = { kind: 'running' } as const;
const succeeded = { kind: 'succeeded', reason: 'completed' } as const;
const failed = { kind: 'failed', reason: 'workflow_error' } as const;
const cancelled = { kind: 'failed', reason: 'cancelled' } as const;
const queries = (): string[] => server.requests.map(({ query }) => query);

async function found(filter: RunFilter, limit = 20): Promise<[numbers: number[], hasMore: boolean]> {
  const { data, meta } = await listRuns(client, { filter, limit });
  return [data.map(({ id }) => Number(id.at(-1))), meta.has_more];
}

it('asks for as many as there is room for, and goes on exactly behind them', async () => {
  pages = [[run(1, active), run(2, active)], [run(3, active)], [run(4, active)]];
  const list = await listRuns(client, { filter: { status: ['running'] }, limit: 3 });
  expect(queries()).toEqual([
    '?limit=3&include_archived=false&status=running',
    '?limit=1&include_archived=false&status=running&cursor=page-2',
  ]);
  expect(list.data).toHaveLength(3);
  expect(list.meta).toEqual({ has_more: true, total: 9, next_cursor: 'page-1' });
});

it('finds how a run ended among archived ones, too, and knows cancelled from failed', async () => {
  const all = [run(1, succeeded), run(2, failed), run(3, cancelled)];
  const archived = all.map((one) => ({ ...one, lifecycle: { ...one.lifecycle, archived: true } }));
  pages = [all, archived];
  expect(await found({ status: ['cancelled'] })).toEqual([[3, 3], false]);
  expect(queries()[0]).toBe('?limit=100&include_archived=false&status=failed&status=archived');
  pages = [all];
  expect(await found({ status: ['succeeded', 'failed'] })).toEqual([[1, 2], false]);
  pages = [all];
  expect(await found({ status: ['failed'], archived: false })).toEqual([[2], false]);
  expect(queries().at(-1)).toBe('?limit=100&include_archived=false&status=failed');
});

it('sifts by labels and by a part of the name, page by page', async () => {
  const web = { labels: { team: 'web' } };
  const other = { ...aRun().workflow, slug: null, graph_name: 'Nightly' };
  pages = [
    [run(1, active, web), run(2, active, { labels: { team: 'app' } })],
    [run(3, active, web), run(4, active, web)],
  ];
  expect(await found({ label: { team: 'web' } }, 2)).toEqual([[1, 3], true]);
  pages = [[run(1, active), run(2, active, { workflow: other })]];
  expect(await found({ workflow: { part: 'night' } })).toEqual([[2], false]);
  for (const [name, ids] of [
    ['night', []],
    ['nightly', [2]],
  ] as const) {
    pages = [[run(1, active), run(2, active, { workflow: other })]];
    expect(await found({ workflow: { name } })).toEqual([ids, false]);
  }
});

it('stops at the first run that is too old', async () => {
  pages = [[run(1, active), run(3, active)], [run(4, active)]];
  expect(await found({ createdSinceMs: NOW - 2 * HOUR_MS })).toEqual([[1], false]);
  expect(server.requests).toHaveLength(1);
});
