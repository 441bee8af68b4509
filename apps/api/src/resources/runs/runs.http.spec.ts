import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { aManifest, OTHER_RUN_ID, RUN_ID } from '../../../../../test/support/api/samples.js';
import { detailsOf, TestApp } from '../../../../../test/support/api/test-app.js';

let api: TestApp;
beforeAll(async () => {
  api = await TestApp.open();
});
afterAll(() => api.close());
beforeEach(() => {
  api.submission.asked.length = 0;
  api.control.asked.length = 0;
  api.queries.asked.length = 0;
});

const RUNS = '/api/v1/runs';
const RUN = `${RUNS}/${RUN_ID}`;

describe('POST /api/v1/runs', () => {
  it('hands the manifest to the use case as its declared shape and answers 201 with the run', async () => {
    const body = aManifest({ title: '  Ship it ' });
    const answer = await api.send('POST', RUNS, { body, headers: { 'idempotency-key': 'k-1' } });
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.text)).toMatchObject({ id: RUN_ID, lifecycle: { status: { kind: 'submitted' } } });
    const [manifest, caller, key] = api.submission.asked[0] ?? [];
    expect(manifest).toMatchObject({ ...aManifest(), title: 'Ship it' });
    expect(caller).toMatchObject({ tenantId: 'default', role: 'admin' });
    expect(key).toBe('k-1');
  });

  it.each([
    ['is not JSON', '{"version": 1,', 'application/json'],
    ['could reach a prototype', '{"__proto__": {"admin": true}}', 'application/json'],
    ['is a list', '[]', 'application/json'],
    ['is null', 'null', 'application/json'],
    ['is empty', '', 'application/json'],
    ['has another media type', 'version=1', 'application/x-www-form-urlencoded'],
    ['has no media type', '{}', null],
  ])('answers 400 with the envelope when the body %s', async (_, body, type) => {
    const answer = await api.send('POST', RUNS, { body, headers: { 'content-type': type } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ status: '400', title: 'Bad Request' }] });
    expect(api.submission.asked).toHaveLength(0);
  });

  it('takes a body just below 2 MiB and answers 413 above', async () => {
    const body = (bytes: number) => JSON.stringify(aManifest({ goal: { type: 'value', text: 'x'.repeat(bytes) } }));
    const headers = { 'content-type': 'application/json' };
    expect((await api.send('POST', RUNS, { body: body(2 * 1024 * 1024 - 500), headers })).status).toBe(201);
    const answer = await api.send('POST', RUNS, { body: body(2 * 1024 * 1024), headers });
    expect(answer.status).toBe(413);
    expect(detailsOf(answer)).toEqual(['The body is larger than 2 MiB. Send less.']);
  });

  it('names every fault of the body at once', async () => {
    const body = aManifest({ version: 2, cwd: 7, goal: { type: 'wish', text: 'x' }, title: ' ' });
    const answer = await api.send('POST', RUNS, { body });
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)).toEqual([
      'version must be the integer 1, not 2.',
      'title must not be blank.',
      'cwd must be text, not 7.',
      'goal.type must be one of value, file, graph, not "wish".',
    ]);
  });

  it('refuses an idempotency key with blanks', async () => {
    const answer = await api.send('POST', RUNS, { body: aManifest(), headers: { 'idempotency-key': 'a b' } });
    expect(answer.status).toBe(400);
  });
});

describe('a run id', () => {
  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/start'],
    ['POST', '/cancel'],
    ['POST', '/retry'],
    ['POST', '/archive'],
    ['POST', '/unarchive'],
    ['DELETE', '/parent'],
    ['GET', '/stages'],
    ['GET', '/events'],
    ['GET', '/attach'],
    ['GET', '/settings'],
    ['GET', '/billing'],
    ['GET', '/graph'],
    ['GET', '/graph/source'],
  ] as const)('that is no ULID is 400 for %s …%s', async (method, rest) => {
    for (const id of ['nonsense', RUN_ID.toLowerCase(), 'x'.repeat(200), '%00']) {
      const answer = await api.send(method, `${RUNS}/${id}${rest}`);
      expect(answer.status).toBe(400);
      expect(detailsOf(answer)[0]).toContain('ULID');
    }
  });
});

describe('starting, cancelling and removing', () => {
  it('starts without a body, and with one', async () => {
    expect((await api.send('POST', `${RUN}/start`)).status).toBe(200);
    expect((await api.send('POST', `${RUN}/start`, { body: { resume: true } })).status).toBe(200);
    const headers = { 'content-type': 'application/json' };
    expect((await api.send('POST', `${RUN}/start`, { body: '', headers })).status).toBe(200);
    expect(api.control.asked.map(([, id, options]) => [id, options])).toEqual([
      [RUN_ID, { resume: false }],
      [RUN_ID, { resume: true }],
      [RUN_ID, { resume: false }],
    ]);
  });

  it('answers 400 for a wrong body and 415 for another media type', async () => {
    const wrong = await api.send('POST', `${RUN}/start`, { body: { resume: 'yes' } });
    expect(wrong.status).toBe(400);
    expect(detailsOf(wrong)).toEqual(['resume must be true or false, not "yes".']);
    const other = await api.send('POST', `${RUN}/start`, { body: 'resume', headers: { 'content-type': 'text/plain' } });
    expect(other.status).toBe(415);
  });

  it('answers 204 when nothing is left and 200 with what is', async () => {
    expect(await api.send('DELETE', RUN)).toMatchObject({ status: 204, text: '' });
    api.control.left = { deleted: true, sandbox_preserved: true, sandbox: { provider: 'docker', id: 'c1' } };
    const answer = await api.send('DELETE', `${RUN}?force=true`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual(api.control.left);
    expect(api.control.asked.map(([, , options]) => options)).toEqual([{ force: false }, { force: true }]);
  });
});

describe('queries', () => {
  it('fills in the defaults', async () => {
    await api.send('GET', RUNS);
    expect(api.queries.asked[0]?.[1]).toEqual({
      limit: 20,
      offset: 0,
      include_archived: false,
      sort: 'created_at',
      direction: 'desc',
    });
  });

  it('reads numbers, flags and repeated parameters', async () => {
    const query = `limit=100&offset=5&include_archived=true&status=failed&status=running&parent_id=${OTHER_RUN_ID}`;
    await api.send('GET', `${RUNS}?${query}&unknown=1`);
    expect(api.queries.asked[0]?.[1]).toMatchObject({
      limit: 100,
      offset: 5,
      include_archived: true,
      status: ['failed', 'running'],
      parent_id: OTHER_RUN_ID,
    });
  });

  it.each([
    [`${RUNS}?limit=0`, 'limit must be an integer from 1 to 100, not 0.'],
    [`${RUNS}?limit=101`, 'limit must be an integer from 1 to 100, not 101.'],
    [`${RUNS}?limit=1&limit=2`, 'limit must be an integer from 1 to 100, not a list.'],
    [`${RUNS}?limit=ten`, 'limit must be an integer from 1 to 100, not "ten".'],
    [`${RUNS}?offset=-1`, 'offset must be an integer from 0 to 1000000, not -1.'],
    [`${RUNS}?status=dead`, 'status[0] must be one of'],
    [`${RUNS}?sort=colour`, 'sort must be one of'],
    [`${RUNS}?include_archived=yes`, 'include_archived must be true or false, not "yes".'],
    [`${RUNS}?parent_id=x`, 'parent_id must be a ULID'],
    [`${RUN}/stages?limit=0`, 'limit must be'],
    [`${RUN}/events?limit=1001`, 'limit must be an integer from 1 to 1000, not 1001.'],
    [`${RUN}/events?since_seq=x`, 'since_seq must be an integer of at least 1, not "x".'],
    [`${RUN}/events?before_seq=5`, 'before_seq goes with order=desc only'],
    [`${RUN}/events?order=desc&since_seq=5`, 'since_seq goes with order=asc only'],
    [`${RUN}/attach?since_seq=0`, 'since_seq must be'],
  ])('%s is 400', async (url, detail) => {
    const answer = await api.send('GET', url);
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)[0]).toContain(detail);
  });
});

describe('graphs', () => {
  it.each(['UP', 'lr', '', 'LR&direction=TB'])('ignore a direction that there is not: %s', async (direction) => {
    expect(await api.send('GET', `${RUN}/graph?direction=${direction}`)).toMatchObject({ status: 200 });
    expect(api.queries.asked[0]?.[2]).toBeUndefined();
  });

  it('are sent with their own media types', async () => {
    const drawing = await api.send('GET', `${RUN}/graph?direction=LR`);
    expect(drawing).toMatchObject({ status: 200, text: '<svg/>', headers: { 'content-type': 'image/svg+xml' } });
    expect(api.queries.asked[0]?.[2]).toBe('LR');
    const source = await api.send('GET', `${RUN}/graph/source`);
    expect(source.headers['content-type']).toContain('text/vnd.graphviz');
  });
});
