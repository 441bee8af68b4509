import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { components } from '#libs/api-client';
import { command, workflow, type ApiCaller } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';

type Validated = components['schemas']['ValidateResponse'];
type Preflighted = components['schemas']['PreflightResponse'];
type File = components['schemas']['ManifestFileEntry'];

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});
afterAll(() => server.close());

const file = (content: string, type: File['ref']['type'], original: string, from: string): File => ({
  content,
  ref: { type, original, from },
});

/** A workflow of several files: a goal from a file, and a part that is imported. */
const MAIN = `digraph Main {
  graph [goal="@goal.md"]
  start [shape=Mdiamond] exit [shape=Msquare]
  part [import="../parts/part.dot"]
  start -> part -> exit
}`;
const PART = `digraph Part {
  start [shape=Mdiamond] exit [shape=Msquare] node [shape=parallelogram]
  build [script="echo built"] test [script="echo tested"]
  start -> build -> test -> exit
}`;

function severalFiles(part = PART): Record<string, unknown> {
  const files = {
    'flows/goal.md': file('Build and test.', 'file_inline', '@goal.md', 'flows/main.dot'),
    '/somewhere/part.dot': file(part, 'import', '../parts/part.dot', 'flows/main.dot'),
  };
  return {
    target: { identifier: 'main', path: 'flows/main.dot' },
    workflows: { 'flows/main.dot': { source: MAIN, files } },
  };
}

describe('a workflow of several files', () => {
  it('is validated, drawn and executed as one', async () => {
    const body = caller.manifest('', severalFiles());
    const validated = await caller.send<Validated>('POST', '/api/v1/validate', { body });
    expect(validated.body).toMatchObject({ ok: true, workflow: { name: 'Main', nodes: 4, goal: 'Build and test.' } });

    const drawn = await caller.send('POST', '/api/v1/graph/render', { body: { manifest: body } });
    expect(drawn.status).toBe(200);
    expect(drawn.text).toContain('id="node-part.build"');

    const run = await caller.finish('', severalFiles());
    expect(run).toMatchObject({ goal: 'Build and test.', lifecycle: { status: { kind: 'succeeded' } } });
    expect((await caller.stages(run.id)).map(({ node_id }) => node_id)).toEqual([
      'start',
      'part.build',
      'part.test',
      'exit',
    ]);
  });

  it('is refused with the file and the line that are wrong', async () => {
    const manifest = caller.manifest('', severalFiles(PART.replace('test [', 'test [[')));
    const { body } = await caller.send<Validated>('POST', '/api/v1/validate', { body: manifest });
    expect(body.workflow.diagnostics).toContainEqual(
      expect.objectContaining({ rule: 'syntax', source_path: 'parts/part.dot', line: 3 }),
    );
    const refused = await caller.send('POST', '/api/v1/runs', { body: manifest });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/parts\/part\.dot:3:\d+ error syntax/);
  });
});

describe('an input', () => {
  const source = workflow(`${command('greet', 'test {{ inputs.name }} = ada')} start -> greet -> exit`);
  const given = { args: { input: ['name=ada'] } };
  const severities = async (path: string, changes: Record<string, unknown>): Promise<unknown[]> => {
    const { body } = await caller.send<Validated>('POST', `/api/v1/${path}`, {
      body: caller.manifest(source, changes),
    });
    const found = body.workflow.diagnostics.filter(({ rule }) => rule === 'template_undefined_variable');
    return [body.ok, ...found.map(({ severity }) => severity)];
  };

  it('reaches the workflow, for checks and for runs', async () => {
    expect(await severities('validate', given)).toEqual([true]);
    expect(await severities('preflight', given)).toEqual([true]);
    const { id } = await caller.finish(source, given);
    expect((await caller.stages(id)).find(({ node_id }) => node_id === 'greet')).toMatchObject({ status: 'succeeded' });
  });

  it('that is missing is worth a warning to who looks, and an error to who runs', async () => {
    expect(await severities('validate', {})).toEqual([true, 'warning']);
    expect(await severities('preflight', {})).toEqual([false, 'error']);
    const refused = await caller.send('POST', '/api/v1/runs', { body: caller.manifest(source) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('name')]);
  });
});

describe('a preflight', () => {
  it('says what creating and starting a run would say', async () => {
    const preflight = async (source: string): Promise<Preflighted> =>
      (await caller.send<Preflighted>('POST', '/api/v1/preflight', { body: caller.manifest(source) })).body;
    expect(await preflight(workflow(`${command('a', 'true')} start -> a -> exit`))).toMatchObject({ ok: true });
    const refused = await preflight(workflow('ask [shape=box, prompt="Hi", provider=anthropic] start -> ask -> exit'));
    expect(refused.ok).toBe(false);
    const failed = refused.checks.sections[0]!.checks.filter(({ status }) => status === 'error');
    expect(failed.map(({ name }) => name)).toEqual(['LLM']);
    expect(failed[0]!.details[0]!.text).toBe('anthropic is needed by ask.');
  });

  it('refuses a provider that is not there as creating a run does', async () => {
    const source = workflow('ask [shape=box, prompt="Hi", provider=anthropic] start -> ask -> exit');
    const create = (args: Record<string, unknown>) =>
      caller.send('POST', '/api/v1/runs', { body: { ...caller.manifest(source), args } });
    const refused = await create({});
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/anthropic.*ask.*--provider simulated/),
    ]);
    expect((await create({ provider: 'simulated' })).status).toBe(201);
  });
});

describe('the drawing of a run', () => {
  it('shows the workflow before the run, and how far the run came', async () => {
    const nodes = `${command('good', 'true')} ${command('bad', 'false')} ${command('nap', 'sleep 20')}`;
    const { id } = await caller.create(workflow(`${nodes} start -> good -> bad -> nap -> exit`));
    const drawing = async (): Promise<string> => (await caller.send('GET', `/api/v1/runs/${id}/graph`)).text;
    expect(await drawing()).toContain('class="node kind-command"');

    await caller.start(id);
    await caller.logs(id, 'stage.started', 'nap@1');
    const drawn = await drawing();
    const stateOf = (node: string): string | undefined =>
      new RegExp(`id="node-${node}" class="node kind-\\w+ state-([\\w-]+)"`).exec(drawn)?.[1];
    const states = ['start', 'good', 'bad', 'nap', 'exit'].map(stateOf);
    expect(states).toEqual(['succeeded', 'succeeded', 'failed', 'running', 'pending']);
    expect(drawn).toMatch(/>✓ good<[^]*>✗ bad<[^]*>▶ nap</);
    await caller.cancel(id);
    await caller.ends(id);
  });
});

it('draws for many at once, and answers others meanwhile', async () => {
  const body = { manifest: caller.manifest(workflow(`${command('a', 'true')} start -> a -> exit`)) };
  const drawings = Array.from({ length: 12 }, () => caller.send('POST', '/api/v1/graph/render', { body }));
  const health = await caller.send('GET', '/api/v1/health');
  expect(health.status).toBe(200);
  expect((await Promise.all(drawings)).map(({ status }) => status)).toEqual(Array(12).fill(200));
});
