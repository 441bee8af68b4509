import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCaller, RUN_ID, TOKEN } from '../../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../../test/support/api/test-app.js';

let api: TestApp;
beforeEach(async () => {
  api = await TestApp.open();
});
afterEach(() => api.close());

const PRUNE = '/api/v1/system/prune/runs';

describe('pruning', () => {
  it('only lists unless it is told otherwise', async () => {
    expect((await api.send('POST', PRUNE, { body: {} })).status).toBe(200);
    const all = {
      dry_run: false,
      before: '2026-03',
      workflow: 'w',
      labels: { a: 'b' },
      orphans: true,
      older_than: '3d',
    };
    await api.send('POST', PRUNE, { body: all });
    expect(api.storage.asked.map(([, request]) => request)).toEqual([{ dry_run: true, orphans: false }, all]);
  });

  it('names every fault of its filters', async () => {
    const body = { dry_run: 'no', before: 'soon', labels: { a: 1 }, older_than: '2w' };
    const answer = await api.send('POST', PRUNE, { body });
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)).toHaveLength(4);
    expect(api.storage.asked).toEqual([]);
  });

  it('is for editors', async () => {
    api.tokens.allow(TOKEN, aCaller('operator'));
    expect((await api.send('POST', PRUNE, { body: {} })).status).toBe(403);
  });
});

it('readiness is told to everybody, with the reasons when there is none', async () => {
  const ask = () => api.send('GET', '/ready', { headers: { authorization: null } });
  expect(await ask()).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  api.readiness.now = ['The database does not answer.', 'No job came round.'];
  const answer = await ask();
  expect([answer.status, detailsOf(answer)]).toEqual([503, ['The database does not answer. No job came round.']]);
  expect(answer.headers['retry-after']).toBeDefined();
});

it('metrics are for those who are known', async () => {
  expect((await api.send('GET', '/metrics', { headers: { authorization: null } })).status).toBe(401);
  const answer = await api.send('GET', '/metrics');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
});

it('requests are counted by the pattern of their path, event streams not at all', async () => {
  api.log.add('{"seq":1}', true);
  await api.send('GET', `/api/v1/runs/${RUN_ID}`);
  await api.send('GET', '/api/v1/nothing');
  await api.send('GET', `/api/v1/runs/${RUN_ID}/attach`);
  await api.send('GET', '/health');
  expect(api.meter.answered).toEqual([
    { method: 'GET', route: '/api/v1/runs/:id', status: 200 },
    { method: 'GET', route: 'unknown', status: 404 },
    { method: 'GET', route: '/health', status: 200 },
  ]);
});
