import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { homeOf, readToken } from '#libs/config';
import { DEFAULT_TENANT } from '#libs/kernel';
import { ensureDevToken } from '#libs/server-runtime';
import { signLocalClientIn } from '../../apps/standalone/src/first-start.js';
import { ApiCaller, command, workflow, type Answer, type EventEnvelope, type Run } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';
const trivial = workflow('start -> exit');

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterAll(() => server.close());

interface Fault {
  errors: { detail: string }[];
}

const submitting = (changes: Record<string, unknown>): Promise<Answer<Fault & Run>> =>
  caller.send('POST', RUNS, { body: caller.manifest(trivial, changes) });
const detailsOf = ({ body }: Answer<Fault>): string[] => body.errors.map(({ detail }) => detail);

describe('V18: a manifest that says more, or elsewhere, than it may', () => {
  it.each(['tenant_id', 'status', 'created_by', 'labels', 'source_directory', 'constructor'])(
    'with %s at its top is refused by name',
    async (member) => {
      const answer = await submitting({ [member]: 'acme' });
      expect([answer.status, detailsOf(answer)]).toEqual([
        400,
        [`"${member}" is no member of this body; leave it out.`],
      ]);
    },
  );

  it.each(['validate', 'preflight'])('is refused by %s, too', async (operation) => {
    const body = caller.manifest(trivial, { tenant_id: 'acme' });
    expect((await caller.send('POST', `/api/v1/${operation}`, { body })).status).toBe(400);
  });

  it('as a batch with more than its runs is', async () => {
    const { id } = await caller.create(trivial);
    const body = { run_ids: [id], tenant_id: 'acme' };
    for (const verb of ['archive', 'unarchive', 'delete']) {
      expect([verb, (await caller.send('POST', `${RUNS}/${verb}`, { body })).status]).toEqual([verb, 400]);
    }
    expect((await caller.get(id)).id).toBe(id);
  });

  it.each(['../../etc', 'relative', '.', '', '/tmp/../etc', '/tmp/..', 'C:\\..\\x', '~'])(
    'with the directory %j is refused',
    async (cwd) => {
      const answer = await submitting({ cwd });
      expect([answer.status, detailsOf(answer)]).toEqual([
        400,
        [expect.stringMatching(/^cwd must be an absolute path/)],
      ]);
    },
  );

  it('is taken with what it may say', async () => {
    const changes = { title: 'All of it', run_id: null, parent_id: null, goal: { type: 'value', text: 'x' }, args: {} };
    expect((await submitting(changes)).status).toBe(201);
  });
});

describe('V8: a token that everybody can read or guess', () => {
  const tokenOf = (digits: string): string => `service_dev_${digits}`;
  const givenAtStart = (token: string): Promise<string | null> => ensureDevToken(server.platform.tokens, token);
  const listsWith = async (token: string): Promise<number> =>
    (await new ApiCaller(caller.url, token, caller.directory).send('GET', RUNS)).status;

  it.each([
    ['of one digit', '0'.repeat(64)],
    ['of few digits', 'deadbeef'.repeat(8)],
    ['that repeats itself', '0123456789abcdef'.repeat(4)],
  ])('%s lets no server start, and nobody in who had it before', async (_, digits) => {
    const sha256 = createHash('sha256').update(tokenOf(digits)).digest('hex');
    const identity = { issuer: 'service:dev', subject: 'dev' };
    const principal = { kind: 'user', identity, login: 'dev', auth_method: 'dev_token' } as const;
    await server.platform.tokens.add(sha256, { tenantId: DEFAULT_TENANT, role: 'admin', principal });
    await expect(givenAtStart(tokenOf(digits))).rejects.toThrow(/^RUNYARD_DEV_TOKEN is an example/);
    expect(await listsWith(tokenOf(digits))).toBe(401);
  });

  it('is not in the examples', async () => {
    const examples = ['deploy/compose.env.example', 'deploy/kubernetes/overlays/example/secrets-api.example.env'];
    for (const file of examples) expect(await readFile(file, 'utf8')).toMatch(/^RUNYARD_DEV_TOKEN=$/m);
  });

  it('of random digits lets its owner in, and is shown to nobody when it was given', async () => {
    const token = tokenOf(randomBytes(32).toString('hex'));
    const folder = await mkdtemp(join(tmpdir(), 'runyard-given-'));
    const before = process.env.RUNYARD_DEV_TOKEN;
    process.env.RUNYARD_DEV_TOKEN = token;
    try {
      const home = homeOf({ RUNYARD_HOME: folder });
      expect(await signLocalClientIn(server.platform, home, [caller.url])).toBeNull();
      expect(await readToken(home, caller.url)).toBe(token);
    } finally {
      if (before === undefined) delete process.env.RUNYARD_DEV_TOKEN;
      else process.env.RUNYARD_DEV_TOKEN = before;
      await rm(folder, { recursive: true });
    }
    expect(await listsWith(token)).toBe(200);
  });
});

describe('a body that is not what it is said to be', () => {
  it.each<[string, string | Buffer, Record<string, string>, number]>([
    ['compressed', gzipSync('{}'), { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 400],
    ['a form', 'version=1', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['text', '{}', { 'content-type': 'text/plain' }, 400],
    ['a prototype', '{"__proto__":{"status":"succeeded"}}', { 'content-type': 'application/json' }, 400],
    ['cut off', '{"version":1', { 'content-type': 'application/json' }, 400],
  ])('%s is refused', async (_, body, headers, status) => {
    const response = await fetch(`${caller.url}${RUNS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}`, ...headers },
      body,
    });
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ errors: [expect.objectContaining({ status: String(status) })] }),
    ]);
  });

  it('as JSON is read', async () => {
    expect((await submitting({})).status).toBe(201);
  });
});

describe('text of a run in an event stream', () => {
  // What a reader would take for the end of an event, and for lines of the next one.
  const forged = 'x\r\n\ndata: {"event":"forged"}\r\rid: 9\nevent: forged\n\n: x\u2028data: x';

  it('makes no line, no event and no id of its own, and arrives whole', async () => {
    const source = workflow(`${command('show', `printf 'x\\r\\n\\ndata: x\\nid: 9\\n\\n'`)} start -> show -> exit`);
    const { id } = await caller.finish(source, { goal: { type: 'value', text: forged } });
    const stored = await caller.events(id);
    const { text } = await caller.send('GET', `${RUNS}/${id}/attach`);
    expect(text).not.toContain('\r');
    const frames = text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
    const sent = frames.map((frame) => /^id: (\d+)\ndata: ([^\n]+)$/.exec(frame)!);
    expect(sent.map(([, seq]) => Number(seq))).toEqual(stored.map(({ seq }) => seq));
    const events = sent.map(([, , data]) => JSON.parse(data!) as EventEnvelope);
    expect(events.map(({ event }) => event)).toEqual(stored.map(({ event }) => event));
    expect(events[0]!.properties).toMatchObject({ goal: forged });
    expect(JSON.stringify(events)).toContain(String.raw`x\r\n\ndata: x\nid: 9`);
  });
});

describe('every answer', () => {
  const CAREFUL = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'strict-origin-when-cross-origin',
  };

  it.each([
    ['of success', 'GET', RUNS, 200],
    ['of refusal', 'GET', `${RUNS}/nonsense`, 400],
    ['of an address that is not there', 'GET', '/nothing', 404],
    ['of an address that cannot be read', 'GET', '/%E0%A4%A', 400],
    ['of a wrong method', 'PUT', RUNS, 405],
  ])('%s keeps browsers careful, and opens nothing to other sites', async (_, method, path, status) => {
    const answer = await caller.send(method, path, { headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(CAREFUL);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(answer.headers.get('server')).toBeNull();
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });
});
