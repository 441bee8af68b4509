import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCaller, aManifest, RUN_ID, TOKEN } from '../../../../../test/support/api/samples.js';
import { TestApp } from '../../../../../test/support/api/test-app.js';
import { until } from '../../../../../test/support/until.js';

const DEBUG = 20;
const INFO = 30;
const ERROR = 50;

let api: TestApp;
beforeEach(async () => {
  api = await TestApp.open();
});
afterEach(() => api.close());

/** The lines of one request, and the id that its answer told. */
async function linesOf(...request: Parameters<TestApp['send']>) {
  const { headers } = await api.send(...request);
  await until(() => api.lines.some(({ status }) => status !== undefined), 'the request has its line');
  return { id: headers['x-request-id'], lines: api.lines };
}

describe('a request', () => {
  it('has one line with its id, its route, its end and who sent it', async () => {
    const { id, lines } = await linesOf('GET', `/api/v1/runs/${RUN_ID}?secret=hunter2`);
    const request = { requestId: id, method: 'GET', route: '/api/v1/runs/:id' };
    const caller = { tenant: 'default', principal: 'user' };
    expect(lines).toEqual([
      {
        ...{ level: INFO, time: expect.any(String), service: 'test', msg: 'A request was answered.' },
        ...{ ...request, ...caller, status: 200, ms: expect.any(Number) },
      },
    ]);
  });

  it('says nothing of its token, its query and its body', async () => {
    const body = { ...aManifest(), title: 'hunter2' };
    const { lines } = await linesOf('POST', '/api/v1/runs?token=hunter2', { body });
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`hunter2|${TOKEN}`));
  });

  it('that is refused is no fault of the server', async () => {
    const { lines } = await linesOf('GET', '/api/v1/runs', { headers: { authorization: 'Bearer nonsense' } });
    expect(lines).toEqual([expect.objectContaining({ level: INFO, status: 401, route: '/api/v1/runs' })]);
    expect(lines[0]).not.toHaveProperty('tenant');
  });

  it('whose caller may not do it says who that was', async () => {
    api.tokens.allow(`service_dev_${'c'.repeat(64)}`, aCaller('viewer'));
    const headers = { authorization: `Bearer service_dev_${'c'.repeat(64)}` };
    const { lines } = await linesOf('DELETE', `/api/v1/runs/${RUN_ID}`, { headers });
    expect(lines).toEqual([expect.objectContaining({ level: INFO, status: 403, tenant: 'default' })]);
  });

  it('that leads nowhere has no route', async () => {
    const { lines } = await linesOf('GET', '/nothing');
    expect(lines).toEqual([expect.objectContaining({ level: INFO, status: 404, route: '(unknown)' })]);
  });

  it('that fails on our side has a line with the stack besides, bound to the same request', async () => {
    api.submission.failure = new Error('It broke.');
    const { id, lines } = await linesOf('POST', '/api/v1/runs', { body: aManifest() });
    expect(lines).toEqual([
      expect.objectContaining({ level: ERROR, requestId: id, tenant: 'default', msg: 'A request failed on our side.' }),
      expect.objectContaining({ level: INFO, requestId: id, status: 500 }),
    ]);
    expect(lines[0]!.error).toMatchObject({ message: 'It broke.', stack: expect.stringContaining('request-log') });
  });

  it('of a probe is said quietly', async () => {
    const { lines } = await linesOf('GET', '/health');
    expect(lines).toEqual([expect.objectContaining({ level: DEBUG, status: 200 })]);
  });
});
