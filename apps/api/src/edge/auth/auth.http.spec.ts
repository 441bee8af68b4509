import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCaller, OTHER_RUN_ID, RUN_ID } from '../../../../../test/support/api/samples.js';
import { TestApp } from '../../../../../test/support/api/test-app.js';
import { type Role } from '../operations/roles.js';

let api: TestApp;
beforeEach(async () => {
  api = await TestApp.open();
});
afterEach(() => api.close());

const tokenOf = (letter: string) => `service_dev_${letter.repeat(64)}`;

async function listWith(authorization: string | null) {
  const { status, text } = await api.send('GET', '/api/v1/runs', { headers: { authorization } });
  const code = status === 200 ? undefined : (JSON.parse(text) as { errors: { code?: string }[] }).errors[0]?.code;
  return { status, code };
}

describe('credentials', () => {
  it.each([
    ['none', null, 401, undefined],
    ['an empty header', '', 401, 'unauthorized'],
    ['another scheme', 'Basic YTpi', 401, 'unauthorized'],
    ['a bearer value without a token', 'Bearer', 401, 'unauthorized'],
    ['a refresh token', `Bearer service_refresh_${'x'.repeat(43)}`, 401, 'unauthorized'],
    ['a token of no known kind', 'Bearer hello', 401, 'access_token_invalid'],
    ['a dev token that is not known', `Bearer ${tokenOf('b')}`, 401, 'access_token_invalid'],
    ['a dev token in capitals', `Bearer ${tokenOf('A')}`, 401, 'access_token_invalid'],
    ['a valid dev token', `Bearer ${tokenOf('a')}`, 200, undefined],
  ])('%s: the answer says so', async (_, authorization, status, code) => {
    expect(await listWith(authorization)).toEqual({ status, code });
  });

  it('are not looked for where everybody may go', async () => {
    for (const url of ['/', '/health', '/api/v1/health', '/api/v1/openapi.json']) {
      expect((await api.send('GET', url, { headers: { authorization: 'nonsense' } })).status).toBe(200);
    }
  });

  it('are remembered for ten seconds and no longer', async () => {
    await listWith(`Bearer ${tokenOf('a')}`);
    api.tokens.revokeAll();
    api.clock.advance(9_999);
    expect(await listWith(`Bearer ${tokenOf('a')}`)).toMatchObject({ status: 200 });
    expect(api.tokens.looks).toBe(1);
    api.clock.advance(1);
    expect(await listWith(`Bearer ${tokenOf('a')}`)).toMatchObject({ status: 401 });
  });
});

describe('wrong tokens', () => {
  const wrong = (n: number): string => `Bearer service_dev_${String(n).padStart(64, '0')}`;

  it('are told to wait after so many, and looked up together from then on', async () => {
    for (let n = 0; n < 20; n++) expect((await listWith(wrong(n))).status).toBe(401);
    expect(api.tokens.looks).toBe(20);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => listWith(wrong(20 + n))));
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['429 too_many_wrong_tokens']),
    );
    expect(api.tokens.looks).toBe(21);
    expect((await listWith(`Bearer ${tokenOf('a')}`)).status).toBe(200);
    api.clock.advance(60_000);
    expect((await listWith(wrong(100))).status).toBe(401);
  });

  it('are not what many requests with one right token are, before it is remembered', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => listWith(`Bearer ${tokenOf('a')}`)));
    expect([new Set(answers.map(({ status }) => status)), api.tokens.looks]).toEqual([new Set([200]), 1]);
    expect((await listWith(wrong(1))).status).toBe(401);
  });
});

describe('roles', () => {
  const run = `/api/v1/runs/${RUN_ID}`;
  it.each<[Role, number[]]>([
    ['viewer', [200, 403, 403]],
    ['operator', [200, 200, 403]],
    ['editor', [200, 200, 204]],
    ['admin', [200, 200, 204]],
  ])('%s may read, cancel, remove: %j', async (role, statuses) => {
    api.tokens.allow(tokenOf('c'), aCaller(role));
    const headers = { authorization: `Bearer ${tokenOf('c')}` };
    const answers = [
      await api.send('GET', run, { headers }),
      await api.send('POST', `${run}/cancel`, { headers }),
      await api.send('DELETE', run, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });
});

describe('a run that speaks for itself', () => {
  const token = `service_worker_${'e'.repeat(64)}`;
  const run = `/api/v1/runs/${RUN_ID}`;
  const headers = { authorization: `Bearer ${token}` };
  beforeEach(() => {
    const principal = { kind: 'worker', run_id: RUN_ID } as const;
    api.tokens.allow(token, { ...aCaller('admin'), principal });
  });

  const descendant = `/api/v1/runs/${OTHER_RUN_ID}`;
  const foreign = '/api/v1/runs/01K2ZP6Q8V9Y3T5N7M1R4S6X8D';
  beforeEach(() => void api.ancestry.known.add(OTHER_RUN_ID));

  it.each([
    ['GET', run],
    ['GET', descendant],
    ['POST', `${descendant}/start`],
    ['POST', `${descendant}/cancel`],
    ['GET', '/api/v1/runs'],
  ] as const)('may %s %s', async (method, url) => {
    expect((await api.send(method, url, { headers })).status).toBe(200);
  });

  it.each([
    ['POST', `${run}/start`],
    ['POST', `${run}/cancel`],
    ['GET', foreign],
    ['POST', `${foreign}/cancel`],
    ['POST', `${descendant}/approve`],
    ['POST', `${descendant}/pause`],
    ['POST', `${descendant}/retry`],
    ['DELETE', `${descendant}/parent`],
    ['POST', `${descendant}/questions/q/answer`],
    ['DELETE', descendant],
  ] as const)('may not %s %s, whatever its role, and is told what it may', async (method, url) => {
    const { status, text } = await api.send(method, url, { headers });
    expect([status, text]).toEqual([403, expect.stringContaining('This token is that of a run. It may create runs')]);
  });

  it('is told of an id that is none as everybody is', async () => {
    expect((await api.send('GET', '/api/v1/runs/nonsense', { headers })).status).toBe(400);
  });

  it('is looked up each time, so that its token ends when the run does', async () => {
    await api.send('GET', run, { headers });
    api.tokens.revokeAll();
    expect((await api.send('GET', run, { headers })).status).toBe(401);
  });
});
