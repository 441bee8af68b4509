import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel';
import { ApiCaller, command, workflow, type Answer, type Run } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const trivial = workflow('start -> exit');

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterAll(() => server.close());

/** The details of a refusal, after a look at its envelope. */
function detailsOf({ status, headers, body }: Answer, expected: number): string {
  expect(status).toBe(expected);
  const { errors, request_id } = body as { errors: Record<string, string>[]; request_id: string };
  expect(request_id).toMatch(UUID);
  expect(headers.get('x-request-id')).toBe(request_id);
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toMatchObject({ status: String(expected), title: expect.stringMatching(/^[A-Z]/), request_id });
    expect(error.detail).toMatch(/\S{2,}/);
    expect(error.detail).not.toMatch(/ {4}at |node_modules|undefined|\[object/);
  }
  return errors.map(({ detail }) => detail).join('\n');
}

const post = (body: unknown): Promise<Answer> => caller.send('POST', RUNS, { body });
const submitting = (changes: Record<string, unknown>): Promise<Answer> => post(caller.manifest(trivial, changes));
const submittingSource = (source: string): Promise<Answer> => post(caller.manifest(source));

describe('a body', () => {
  it.each([
    ['is not JSON', '{"version": 1,', /JSON/],
    ['is no object', '[]', /object/],
    ['is empty', '', /missing|object|body/i],
    ['is too deep', JSON.stringify({ configs: nested(200) }), /64 levels/],
    ['is so deep that it could end the process', '['.repeat(100_000) + ']'.repeat(100_000), /JSON|levels|object/],
  ])('that %s is refused', async (_, body, detail) => {
    expect(detailsOf(await post(body), 400)).toMatch(detail);
  });

  it('of more than 2 MiB is too large', async () => {
    expect(detailsOf(await submitting({ cwd: 'x'.repeat(2 * 1024 * 1024) }), 413)).toContain('2 MiB');
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 'deep' : [nested(depth - 1)];
  }
});

describe('a manifest', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['without a version', { version: undefined }, /^version /],
    ['of another version', { version: 2 }, /^version must be the integer 1, not 2\.$/],
    ['without workflows', { workflows: undefined }, /^workflows /m],
    ['with a number for a text', { cwd: 7 }, /^cwd must be text, not 7\.$/],
    ['with a text for a flag', { args: { dry_run: 'yes' } }, /^args\.dry_run must be true or false, not "yes"\.$/],
    ['with an unknown kind of goal', { goal: { type: 'wish', text: 'x' } }, /^goal\.type .*value, file, graph.*"wish"/],
    ['with U+0000 in a text', { cwd: '/tmp/\u0000' }, /^cwd holds the character U\+0000/],
    ['with U+0000 in a key', { args: { 'a\u0000': 1 } }, /^args has a key with the character U\+0000/],
    ['with a blank title', { title: ' \t ' }, /^title must not be blank/],
    ['with a title of 101 characters', { title: 'x'.repeat(101) }, /^title .*100/],
    ['with a title of two lines', { title: 'one\ntwo' }, /^title must be one line/],
    ['with an id that is no ULID', { run_id: 'my-run' }, /^run_id must be a ULID.*"my-run"/],
    ['with an id in lower case', { run_id: newUlid(0).toLowerCase() }, /^run_id must be a ULID/],
    ['whose target has no source', { target: { identifier: 'x', path: 'other.dot' } }, /^target\.path .*"other\.dot"/],
    ['with an unknown environment', { args: { environment: 'mars' } }, /"mars".*default/],
    ['with an unknown model', { args: { model: 'nobody-1' } }, /^run\.model\.name: no model is called "nobody-1"/],
    ['with an unknown provider', { args: { provider: 'nobody' } }, /^run\.model\.provider: .*"nobody"/],
    ['with an input that is no pair', { args: { input: ['x'] } }, /^args\.input\[0\] .*KEY=VALUE/],
    ['with an unknown parent', { parent_id: 'none' }, /^parent_id must be a ULID/],
  ])('%s is refused', async (_, changes, detail) => {
    expect(detailsOf(await submitting(changes), 400)).toMatch(detail);
  });

  it('is told all of its faults at once', async () => {
    const details = detailsOf(await submitting({ version: 2, cwd: 7, title: ' ' }), 400);
    expect(details.split('\n')).toHaveLength(3);
  });

  it('takes a title of 100 characters, however many bytes they are', async () => {
    expect((await submitting({ title: '🦊'.repeat(100) })).status).toBe(201);
  });

  it('with the id of another run is a conflict', async () => {
    const { id } = await caller.create(trivial);
    expect(detailsOf(await submitting({ run_id: id, title: 'Another one' }), 409)).toContain(id);
  });

  it('with a parent that is not there is refused', async () => {
    const parent = newUlid(Date.now());
    expect(detailsOf(await submitting({ parent_id: parent }), 404)).toContain(parent);
  });

  it('with a key that cannot be one is refused', async () => {
    const answer = await caller.send('POST', RUNS, {
      body: caller.manifest(trivial),
      headers: { 'idempotency-key': 'x'.repeat(256) },
    });
    expect(detailsOf(answer, 400)).toContain('Idempotency-Key');
  });
});

describe('a workflow', () => {
  it('with a syntax error is refused with line, column and caret', async () => {
    const answer = await submittingSource('digraph Broken {\n  start [shape=Mdiamond]\n  start -> -> exit\n}');
    const detail = detailsOf(answer, 400);
    expect(detail).toMatch(/^spec\.dot:3:12 error /);
    expect(detail).toMatch(/\n +start -> -> exit\n +\^/);
  });

  it.each([
    ['with an edge to a node that is not declared', workflow('start -> nowhere -> exit'), 'nowhere'],
    ['without a start', 'digraph A { exit [shape=Msquare] a [shape=parallelogram, script="true"] a -> exit }', 'start'],
    ['with two starts', workflow('other [shape=Mdiamond] start -> exit other -> exit'), 'start'],
    ['without an exit', 'digraph A { start [shape=Mdiamond] }', 'exit'],
    ['that is not directed', 'graph A { start -- exit }', 'digraph'],
    ['that is empty', '', 'digraph'],
    [
      'with a node that no handler here executes',
      workflow('think [shape=box, prompt="hi", backend=acp, acp.command="bot"] start -> think -> exit'),
      'agent',
    ],
    ['with a command without a script', workflow('a [shape=parallelogram] start -> a -> exit'), 'script'],
    [
      'with a condition that cannot be read',
      workflow(`${command('a', 'true')} start -> a a -> exit [condition="= ="] a -> exit`),
      'condition',
    ],
  ])('%s is refused, and the fault is named', async (_, source, word) => {
    expect(detailsOf(await submittingSource(source), 400)).toContain(word);
  });
});

describe('a run', () => {
  it.each([
    ['GET', ''],
    ['GET', '/stages'],
    ['GET', '/events'],
    ['GET', '/attach'],
    ['GET', '/settings'],
    ['GET', '/billing'],
    ['GET', '/graph'],
    ['GET', '/graph/source'],
    ['POST', '/start'],
    ['POST', '/cancel'],
  ])('that nobody has is not found by %s %s, and an id that is none is refused', async (method, rest) => {
    const unknown = newUlid(Date.now());
    expect(detailsOf(await caller.send(method, `${RUNS}/${unknown}${rest}`), 404)).toContain(unknown);
    for (const id of ['nonsense', '%00', '..%2f..']) {
      expect(detailsOf(await caller.send(method, `${RUNS}/${id}${rest}`), 400)).toContain('ULID');
    }
  });

  it('is started once', async () => {
    const { id } = await caller.begin(workflow(`${command('nap', 'sleep 0.5')} start -> nap -> exit`));
    expect(detailsOf(await caller.send('POST', `${RUNS}/${id}/start`), 409)).toContain(id);
    await caller.ends(id);
    expect(detailsOf(await caller.send('POST', `${RUNS}/${id}/start`), 409)).toContain('succeeded');
    expect(detailsOf(await caller.send('POST', `${RUNS}/${id}/start`, { body: { resume: true } }), 409)).toContain(id);
    expect(detailsOf(await caller.send('POST', `${RUNS}/${id}/cancel`), 409)).toContain('succeeded');
  });
});

describe('a question', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=10001', 'offset'],
    ['offset=1&cursor=abc', 'offset'],
    ['cursor=abc', 'cursor'],
    ['cursor=%00', 'cursor'],
    ['status=happy', 'status'],
    ['sort=luck', 'sort'],
    ['direction=up', 'direction'],
    ['parent_id=none', 'parent_id'],
  ])('for a list with %s is refused', async (query, name) => {
    expect(detailsOf(await caller.send('GET', `${RUNS}?${query}`), 400)).toContain(name);
  });

  it.each([
    ['events?limit=1001', {}],
    ['events?order=sideways', {}],
    ['events?order=asc&before_seq=3', {}],
    ['events?order=desc&since_seq=3', {}],
    ['events?since_seq=0', {}],
    ['attach?since_seq=x', {}],
    ['attach', { 'last-event-id': 'garbage' }],
    ['attach', { 'last-event-id': '-1' }],
    ['attach', { 'last-event-id': '1'.repeat(30) }],
    ['stages?limit=0', {}],
  ])('for %s with %j is refused', async (path, headers) => {
    const { body } = (await post(caller.manifest(trivial))) as Answer<Run>;
    detailsOf(await caller.send('GET', `${RUNS}/${body.id}/${path}`, { headers }), 400);
  });

  it('for what is not there is told so, and which methods would do', async () => {
    expect(detailsOf(await caller.send('GET', '/api/v1/nothing'), 404)).toContain('/api/v1/nothing');
    const answer = await caller.send('PUT', RUNS, { body: {} });
    expect(detailsOf(answer, 405)).toContain('PUT');
    expect(answer.headers.get('allow')).toContain('POST');
  });
});

describe('a caller', () => {
  it.each([
    ['without a token', null, undefined],
    ['with a token nobody was given', `service_dev_${'0'.repeat(64)}`, 'access_token_invalid'],
    ['with something else for a token', 'hunter2', 'access_token_invalid'],
  ])('%s is asked to sign in, whatever it asks for', async (_, token, code) => {
    const nobody = new ApiCaller(server.url, token, caller.directory);
    const unknown = newUlid(Date.now());
    for (const path of [RUNS, `${RUNS}/${unknown}`, `${RUNS}/${unknown}/attach`, `${RUNS}?limit=0`]) {
      const answer = await nobody.send<{ errors: { code?: string }[] }>('GET', path);
      detailsOf(answer, 401);
      if (code !== undefined) expect(answer.body.errors[0]?.code).toBe(code);
    }
    detailsOf(await nobody.send('POST', RUNS, { body: caller.manifest(trivial) }), 401);
  });

  it('gets an id for every request, and one that works for the log', async () => {
    const answers = await Promise.all([caller.send('GET', RUNS), caller.send('GET', RUNS), caller.send('GET', '/')]);
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(3);
  });
});

it('is there after all of that', async () => {
  expect((await caller.finish(trivial)).lifecycle.status.kind).toBe('succeeded');
});
