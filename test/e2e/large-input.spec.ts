import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newUlid } from '#libs/kernel';
import { type Answer, type ApiCaller, command, workflow, type Run } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type TestServer } from '../support/server.js';

const RUNS = '/api/v1/runs';
const ONCE = workflow(`${command('a', 'true')} start -> a -> exit`);
const LARGE = 300_000;
const SIZES = [LARGE, 5_000_000];
const long = (size = LARGE): string => 'x'.repeat(size);

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterAll(async () => {
  const fresh = await caller.finish(ONCE);
  const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });
  await server.close();
  expect(fresh.lifecycle.status.kind).toBe('succeeded');
  expect(faults).toEqual([]);
});

const submit = (source: string, changes: Record<string, unknown> = {}): Promise<Answer<Run>> =>
  caller.send('POST', RUNS, { body: caller.manifest(source, changes) });

function refusalOf({ status, body }: Answer): { status: number; detail: string } {
  const { errors } = body as { errors: { detail: string }[] };
  return { status, detail: errors.map(({ detail }) => detail).join('\n') };
}

const toml = (lines: string): Record<string, unknown> => ({
  configs: [{ type: 'project', path: '.runyard/project.toml', source: lines }],
});

/** What a client may send: a manifest with one part of it that large. */
type Sent = (text: string) => [source: string, changes?: Record<string, unknown>];

const KEPT: [string, Sent][] = [
  ['a goal', (text) => [ONCE, { goal: { type: 'value', text } }]],
  ['a goal of the workflow', (text) => [ONCE.replace('{', `{ goal="${text}"`)]],
  ['an input', (text) => [ONCE, { args: { input: [`k=${text}`] } }]],
  [
    'a prompt',
    (text) => [workflow(`a [shape=box, prompt="${text}"] start -> a -> exit`), { args: { provider: 'simulated' } }],
  ],
  [
    'an input in a prompt',
    (text) => [
      workflow('a [shape=box, prompt="{{ inputs.k }}"] start -> a -> exit'),
      { args: { input: [`k=${text}`], provider: 'simulated' } },
    ],
  ],
  ['a script', (text) => [workflow(`${command('a', `: ${text}`)} start -> a -> exit`)]],
  ['a comment', (text) => [`/* ${text} */ ${ONCE}`]],
  ['a file', (text) => [ONCE, { workflows: { 'spec.dot': { source: ONCE, files: { 'a.md': entry('a.md', text) } } } }]],
  [
    'the name of a file',
    (text) => [ONCE, { workflows: { 'spec.dot': { source: ONCE, files: { [text]: entry(text, 'a') } } } }],
  ],
  ['what the user typed', (identifier) => [ONCE, { target: { identifier, path: 'spec.dot' } }]],
];
const entry = (original: string, content: string) => ({ content, ref: { type: 'file_inline', original } });

const REFUSED: [string, Sent, RegExp][] = [
  ['a title', (title) => [ONCE, { title }], /^title must have at most 100 characters, not 300000/],
  ['a run id', (run_id) => [ONCE, { run_id }], /^run_id must be a ULID/],
  ['a parent id', (parent_id) => [ONCE, { parent_id }], /^parent_id must be a ULID/],
  ['a directory', (cwd) => [ONCE, { cwd }], /^cwd takes 300002 bytes; at most 4096 are allowed/],
  [
    'a label',
    (text) => [ONCE, { args: { label: [`k=${text}`] } }],
    /^run\.metadata, the labels of the run, takes 300008 bytes/,
  ],
  ['the key of a label', (text) => [ONCE, { args: { label: [`${text}=v`] } }], /^run\.metadata.* takes 300008 bytes/],
  ['a model', (model) => [ONCE, { args: { model } }], /^run\.model\.name: no model/],
  ['an environment', (environment) => [ONCE, { args: { environment } }], /^args\.environment names/],
  [
    'a variable',
    (text) => [ONCE, toml(`[run.environment.env]\nK = "${text}"`)],
    /^run\.environment\.env "K" takes 300004 bytes/,
  ],
  [
    'a name of the workflow',
    (text) => [ONCE, toml(`[workflow]\nname = "${text}"`)],
    /^workflow\.name takes 300002 bytes/,
  ],
  [
    'a name of a hook',
    (text) => [ONCE, toml(`[[run.hooks]]\nevent = "run_start"\nscript = "true"\nname = "${text}"`)],
    /^run\.hooks "x+…": its name takes/,
  ],
  [
    'a command of a hook',
    (text) => [ONCE, toml(`[[run.hooks]]\nevent = "run_start"\nscript = ": ${text}"`)],
    /^run\.hooks .*: its command takes/,
  ],
  [
    'a branch',
    (branch) => [ONCE, { git: { origin_url: 'u', branch, dirty: 'clean', push_outcome: { type: 'not_attempted' } } }],
    /^git\.branch takes/,
  ],
  [
    'a path',
    (text) => [ONCE, { target: { identifier: 'x', path: text }, workflows: { [text]: { source: ONCE } } }],
    /^target\.path takes/,
  ],
  [
    'a name in the workflow',
    (text) => [ONCE.replace('Spec', text)],
    /^spec\.dot:1:9 error text_length The name of the workflow takes 300002 bytes/,
  ],
  [
    'the id of a node',
    (text) => [workflow(`${text} [label=A, script="true"] start -> ${text} -> exit`)],
    /error text_length The id of the node "x+…" takes/,
  ],
  [
    'the label of a node',
    (text) => [workflow(`a [label="${text}", script="true"] start -> a -> exit`)],
    /error text_length The label of the node "a" takes/,
  ],
  [
    'an option of a gate',
    (text) => [workflow(`a [shape=hexagon] start -> a a -> exit [label="${text}"]`)],
    /error text_length The label of the edge "a" -> "exit" takes/,
  ],
  [
    'a condition',
    (text) => [workflow(`a [script="true"] start -> a a -> exit [condition="x=${text}"] a -> exit`)],
    /error text_length The condition of the edge/,
  ],
];

describe('in a manifest', () => {
  it.each(KEPT)('%s of 300 KB is kept, and the run succeeds', async (_, sent) => {
    const answer = await submit(...sent(long()));
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.any(String)]);
    const { id } = answer.body;
    await caller.start(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
    expect((await caller.events(id)).filter(({ event }) => event === 'run.claimed')).toHaveLength(1);
  });

  it.each(REFUSED)('%s of 300 KB is refused by name', async (_, sent, expected) => {
    const { status, detail } = refusalOf(await submit(...sent(long())));
    expect([status, detail.slice(0, 500)]).toEqual([400, expect.stringMatching(expected)]);
    expect(detail.length).toBeLessThan(4_000);
  });

  it.each<[string, Sent]>([...KEPT, ...REFUSED].map(([name, sent]) => [name, sent]))(
    '%s of 5 MB is too large',
    async (_, sent) => {
      const { status, detail } = refusalOf(await submit(...sent(long(5_000_000))));
      expect([status, detail]).toEqual([413, expect.stringContaining('2 MiB')]);
    },
  );

  it('a goal is shortened in the log and whole in the settings', async () => {
    const { body } = await submit(ONCE, { goal: { type: 'value', text: long() } });
    expect(body.goal).toMatch(/^x+…$/);
    const settings = await caller.send<{ run: { goal: { value: string } } }>('GET', `${RUNS}/${body.id}/settings`);
    expect(settings.body.run.goal.value).toHaveLength(LARGE);
    const [created] = await caller.events(body.id);
    expect(created!.properties).toMatchObject({ goal: body.goal, goal_bytes: LARGE });
    const again = await caller.send<Run>('POST', `${RUNS}/${body.id}/cancel`);
    expect(again.status).toBe(200);
    const retried = await caller.send<Run>('POST', `${RUNS}/${body.id}/retry`, { body: {} });
    expect([retried.status, retried.body.goal]).toEqual([201, body.goal]);
  });

  it('many labels are refused together', async () => {
    const label = Array.from({ length: 1_000 }, (_, n) => `key${n}=${'v'.repeat(40)}`);
    expect(refusalOf(await submit(ONCE, { args: { label } }))).toMatchObject({ status: 400 });
  });
});

describe.each(SIZES)('of %i characters', (size) => {
  const refusal = size === LARGE ? 400 : 413;
  let run: Run;
  beforeAll(async () => {
    run = await caller.finish(workflow(`${command('once', ': {{ inputs.k }}')} start -> once -> exit`), {
      args: { input: ['k=short'] },
    });
  });

  it.each<[string, string, string, (text: string) => unknown]>([
    ['a new title', 'PATCH', '', (title) => ({ title })],
    ['a new parent', 'PUT', '/parent', (parent_id) => ({ parent_id })],
    ['the reason of a refusal', 'POST', '/deny', (reason) => ({ reason })],
    ['a value of a fork', 'POST', '/fork', (text) => ({ edits: { context: { k: text } } })],
    ['the target of a fork', 'POST', '/fork', (text) => ({ target: `${text} ${text}` })],
    ['the model of a retry', 'POST', '/retry', (model) => ({ edits: { model } })],
  ])('%s is refused', async (_, method, place, body) => {
    const answer = await caller.send(method, `${RUNS}/${run.id}${place}`, { body: body(long(size)) });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([refusal, expect.any(String)]);
  });

  it.each<[string, string, (text: string) => unknown]>([
    ['the goal of a retry', '/retry', (goal) => ({ edits: { goal } })],
    ['an input of a retry', '/retry', (k) => ({ edits: { inputs: { k } } })],
    ['the goal of a fork', '/fork', (goal) => ({ edits: { goal } })],
  ])('%s is kept, or too large', async (_, place, body) => {
    const answer = await caller.send<Record<string, string>>('POST', `${RUNS}/${run.id}${place}`, {
      body: body(long(size)),
    });
    const kept = place === '/fork' ? 200 : 201;
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([size === LARGE ? kept : 413, expect.any(String)]);
    if (size !== LARGE) return;
    const id = answer.body.new_run_id ?? answer.body.id!;
    if (place === '/fork') await caller.start(id);
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('the keys of an answer are refused', async () => {
    const gate = workflow('ask [shape=hexagon] start -> ask ask -> exit [label=Yes]');
    const { id } = await caller.begin(gate);
    const [question] = await caller.asks(id);
    const path = `${RUNS}/${id}/questions/${question!.id}/answer`;
    for (const body of [
      { kind: 'selected', option_key: long(size) },
      { kind: 'multi_selected', option_keys: [long(size)] },
      { kind: long(size) },
    ]) {
      const answer = await caller.send('POST', path, { body });
      expect([answer.status, answer.text.length < 2_000]).toEqual([refusal, true]);
    }
    await caller.answer(id, question!.id, { kind: 'selected', option_key: 'Y' });
    expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
  });
});

it('a key of 300 KB for a repeated request is refused', async () => {
  const headers = { 'idempotency-key': long(LARGE) };
  const answer = await caller.send('POST', RUNS, { body: caller.manifest(ONCE), headers }).catch(() => undefined);
  expect(answer?.status ?? 431).toBe(431);
});

it.each(['400', '1024', '300000'])('an id of %s characters in an address is no run', async (length) => {
  const answer = await caller.send('GET', `${RUNS}/${long(Number(length))}`).catch(() => ({ status: 431 }));
  expect([400, 404, 414, 431]).toContain(answer.status);
  expect((await caller.send('GET', `${RUNS}/${newUlid(Date.now())}`)).status).toBe(404);
});
