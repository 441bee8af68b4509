import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiCaller, command, workflow } from '../support/api-caller.js';
import { freePort } from '../support/postgres-server.js';
import { startApiProcess, type TestProcess } from '../support/processes.js';
import { testServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { childrenOf, WatchedApi } from '../support/watched-api.js';

jest.setTimeout(120_000);

/** A tenth of a second on a machine that does nothing else. */
const HELD_MS = 250;
const KIB = 1024;
const BODY_BYTES = 2 * KIB * KIB;

let server: TestServer;
let api: TestProcess;
let caller: ApiCaller;
let watch: WatchedApi;
beforeAll(async () => {
  server = await testServer({ worker: false });
  const { databaseUrl, limit, host } = server;
  const port = await freePort();
  api = await startApiProcess({ databaseUrl, limit, port, stateDirectory: host.stateDirectory });
  caller = new ApiCaller(`http://127.0.0.1:${port}`, server.caller.token, host.workingDirectory);
  watch = new WatchedApi(caller, api.pid);
  // What only the first request of a server pays, and the first heavy one.
  await caller.send('POST', '/api/v1/validate', { body: caller.manifest(workflow('start -> exit')) });
  await caller.send('POST', '/api/v1/validate', { body: caller.manifest(many((i) => `// ${i}\n`, 20 * KIB)) });
});
afterAll(async () => {
  await api.kill();
  await server.close();
});

interface Answer {
  ok?: boolean;
  workflow?: { diagnostics: { rule: string }[]; diagnostics_left_out?: number };
  errors?: { detail: string }[];
}

/** So many different pieces as fit in there. */
function many(piece: (i: number) => string, bytes = 400 * KIB): string {
  const pieces: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    pieces.push(piece(i));
    length += Buffer.byteLength(pieces[i]!);
  }
  return pieces.join('');
}

const manifestOf = (body: string, changes: object = {}) => ({ ...caller.manifest(workflow(body)), ...changes });

const listed = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

const mapped = <T>(count: number, item: (i: number) => T) =>
  Object.fromEntries(listed(count, (i) => [`w${i}`, item(i)]));

const settings = (source: string) => ({ configs: [{ type: 'user', path: 'settings.toml', source }] });

const file = { content: '', ref: { type: 'import', original: 'a' } };

/** A number of things that no manifest has. */
const NUMBERS: [string, () => object, string][] = [
  [
    'inputs',
    () => manifestOf('start -> exit', { args: { input: listed(140_000, (i) => `k${i}=`) } }),
    'args.input must have at most 1000 items, not 140000; send fewer',
  ],
  [
    'labels',
    () => manifestOf('start -> exit', { args: { label: listed(140_000, (i) => `k${i}=`) } }),
    'args.label must have at most 1000 items',
  ],
  [
    'inputs of a file',
    () => manifestOf('start -> exit', settings(`[run.inputs]\n${many((i) => `k${i} = 1\n`, 1_000 * KIB)}`)),
    'inputs; at most 1000 are allowed',
  ],
  [
    'workflows',
    () => manifestOf('start -> exit', { workflows: mapped(20_000, () => ({ source: '' })) }),
    'workflows must have at most 1000 members, not 20000; send fewer',
  ],
  [
    'files of one workflow',
    () => manifestOf('start -> exit', { workflows: { a: { source: '', files: mapped(25_000, () => file) } } }),
    'must have at most 1000 files in all, not 25000',
  ],
  [
    'files of many workflows',
    () =>
      manifestOf('start -> exit', { workflows: mapped(900, () => ({ source: '', files: mapped(25, () => file) })) }),
    'workflows must have at most 1000 files in all, not 22500; send fewer',
  ],
  [
    'settings',
    () => manifestOf('start -> exit', { configs: listed(60_000, () => ({ type: 'user' })) }),
    'configs must have at most 100 items',
  ],
  [
    'members that no manifest has',
    () => ({ ...manifestOf('start -> exit'), ...mapped(100_000, () => 0) }),
    'is no member of this body',
  ],
  [
    'values where one is expected',
    () => manifestOf('start -> exit', { cwd: listed(900_000, () => 0) }),
    'cwd must be text',
  ],
];

/** Workflows that take long to compile, and what is said about them: a rule, or that they are sound. */
const WORKFLOWS: [string, () => string, string][] = [
  [
    'a script that is one pipe',
    () => command('a', many(() => 'a|', 1_000 * KIB) + 'a') + ' start -> a -> exit',
    'sound',
  ],
  [
    'a token behind many commands',
    () => command('a', `${many(() => 'ssh ')} {{ goal }} | sh`) + ' start -> a -> exit',
    'script_token_place',
  ],
  [
    'nodes that nothing leads to',
    () => `${many((i) => `n${i};`, 1_900 * KIB)} start -> exit`,
    'command_requires_script',
  ],
  [
    'nodes with faults that they inherit',
    () =>
      `node [timeout=1, max_retries=x, model=foo, retry_target=nn, type=robot]; ${many((i) => `n${i};`)} start -> exit`,
    'attribute_value',
  ],
  ['edges to nodes that nobody declares', () => many((i) => `a${i}->b${i};`, 1_900 * KIB), 'edge_target_exists'],
  [
    'one condition',
    () => `a [label=A]; start -> a; a -> exit; a -> exit [condition="${many(() => 'x=1 && ')} y"]`,
    'text_length',
  ],
  [
    'many conditions',
    () => `a [label=A]; start -> a; a -> exit; ${many((i) => `a->exit[condition="x${i}=1"];`)}`,
    'command_requires_script',
  ],
  [
    'one pattern',
    () => `a [label=A]; start -> a; a -> exit; a -> exit [condition="x matches ${many(() => 'ab')}"]`,
    'condition_syntax',
  ],
  [
    'patterns that repeat',
    () => `a [label=A]; start -> a; a -> exit; ${many((i) => `a->exit[condition="x${i} matches a{1000}"];`)}`,
    'condition_syntax',
  ],
  [
    'few patterns that repeat',
    () => `a [label=A]; start -> a; a -> exit; ${many((i) => `a->exit[condition="x${i} matches a{1000}"];`, 14 * KIB)}`,
    'condition_syntax',
  ],
  [
    'a template that loops',
    () =>
      `a [prompt="{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}"]; start -> a -> exit`,
    'template_syntax',
  ],
  [
    'names that nothing defines',
    () => `a [prompt="${many((i) => `{{ x${i} }}`)}"]; start -> a -> exit`,
    'template_undefined_variable',
  ],
  [
    'a style sheet',
    () => `model_stylesheet="${many((i) => `.c${i} { model: x; }`)}"; start -> exit`,
    'stylesheet_model_known',
  ],
  [
    'sub-workflows',
    () => many((i) => `m${i} [shape=house, stack.child_dot_source="digraph A { start -> exit }"];`),
    'edge_target_exists',
  ],
  ['subgraphs', () => many((i) => `subgraph { a${i} }`, 1_000 * KIB), 'command_requires_script'],
  ['attributes', () => `a [label=A${many((i) => `,x${i}=1`)}]; start -> a -> exit`, 'attribute_known'],
  ['faults of syntax', () => many(() => '$ '), 'syntax'],
];

async function validated(body: object | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(text.length).toBeLessThan(BODY_BYTES);
  const headers = { 'content-type': 'application/json' };
  return watch.during(caller.send<Answer>('POST', '/api/v1/validate', { body: text, headers }));
}

describe('a body below 2 MiB that takes long to look through', () => {
  it.each(NUMBERS)('with too many %s is refused by name', async (_, body, detail) => {
    const { result, heldMs } = await validated(body());
    expect(result.status).toBe(400);
    expect(result.body.errors!.map((error) => error.detail).join()).toContain(detail);
    expect(heldMs).toBeLessThan(HELD_MS);
  });

  it('that is nothing but depth is refused by name', async () => {
    const manifest = JSON.stringify(manifestOf('start -> exit', { goal: null }));
    const deep = `${'['.repeat(900_000)}${']'.repeat(900_000)}`;
    const { result, heldMs } = await validated(manifest.replace('"goal":null', `"goal":${deep}`));
    expect([result.status, result.body.errors![0]!.detail]).toEqual([400, expect.stringContaining('64 levels')]);
    expect(heldMs).toBeLessThan(HELD_MS);
  });
});

describe('a workflow below 2 MiB that takes long to compile', () => {
  it.each(WORKFLOWS)('with %s is answered, and nobody waits for it', async (_, body, rule) => {
    const { result, heldMs } = await validated(manifestOf(body()));
    expect(result.status).toBe(200);
    const { diagnostics } = result.body.workflow!;
    if (rule === 'sound') expect(result.body.ok).toBe(true);
    else expect(diagnostics.map((found) => found.rule)).toContain(rule);
    expect(diagnostics.length).toBeLessThanOrEqual(1_000);
    expect(heldMs).toBeLessThan(HELD_MS);
  });
});

const children = (): number[] => childrenOf(api.pid);

async function endChildren(): Promise<void> {
  for (const pid of children()) process.kill(pid, 'SIGKILL');
  await until(() => children().length === 0, 'no process waits for work', 5_000);
}

describe('a heavy workflow', () => {
  const heavy = (name: string): string =>
    `${command('a', 'true', `, label="${name}"`)} start -> a -> exit; ${many((i) => `// ${i}\n`, 40 * KIB)}`;

  it('becomes a run like any other, the same one once', async () => {
    const body = manifestOf(heavy('run'));
    const created = await Promise.all(
      [1, 2, 3].map(() => caller.send<{ id: string }>('POST', '/api/v1/runs', { body })),
    );
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { text } = await caller.send('GET', `/api/v1/runs/${created[0]!.body.id}/graph`);
    expect(text).toContain('<g id="node-a"');
  });

  it('that is copied to many megabytes holds nobody up when it becomes a run', async () => {
    const body = manifestOf(`node [prompt="${'x'.repeat(18_000)}", shape=box, provider=simulated];
      ${listed(1_700, (i) => `n${i};`).join('')} ${listed(1_700, (i) => `n${i}`).join(' -> ')}; start -> n0; n1699 -> exit`);
    const { result, heldMs } = await watch.during(caller.send('POST', '/api/v1/runs', { body }));
    expect(result.status).toBe(201);
    expect(heldMs).toBeLessThan(HELD_MS);
  });

  it('whose process dies is refused, and it alone', async () => {
    await endChildren();
    const validating = caller.send<Answer>('POST', '/api/v1/validate', { body: manifestOf(heavy('killed')) });
    await until(() => children().length > 0, 'a process compiles', 5_000);
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    const { status, body } = await validating;
    expect([status, body.errors![0]!.detail]).toEqual([413, expect.stringContaining('takes more memory than it may')]);
    const again = await caller.send('POST', '/api/v1/validate', { body: manifestOf(heavy('killed')) });
    expect(again.status).toBe(200);
  });
});

describe('a usual workflow', () => {
  it('is compiled where it is asked for, without another process', async () => {
    await endChildren();
    const { status } = await caller.send('POST', '/api/v1/validate', { body: manifestOf('start -> exit') });
    expect([status, children()]).toEqual([200, []]);
  });
});
