import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { KeptValues } from '../../apps/worker/src/values/kept-values.js';
import { type ApiCaller, command, workflow, type EventEnvelope, type Run } from '../support/api-caller.js';
import { faultsIn } from '../support/checker.js';
import { testServer, type TestServer } from '../support/server.js';

type LoggedEvent = EventEnvelope & { properties: Record<string, unknown> };

const RUNS = '/api/v1/runs';
const SIMULATED = { args: { provider: 'simulated' } };
const KB = 1_000;
const MB = 1_000_000;

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
});

/** Whatever these runs were given, no worker was lost over it, and the next run is as good as the first. */
afterAll(async () => {
  const fresh = await caller.finish(workflow(`${command('a', 'true')} start -> a -> exit`));
  const faults = await faultsIn(server.databaseUrl, { views: server.platform.views, limit: server.limit });
  const database = new pg.Client({ connectionString: server.databaseUrl });
  await database.connect();
  const { rows } = await database.query(
    `SELECT run_id FROM run_events WHERE event = 'run.claimed' GROUP BY run_id HAVING count(*) > 1`,
  );
  await database.end();
  await server.close();
  expect(fresh.lifecycle.status.kind).toBe('succeeded');
  expect(rows).toEqual([]);
  expect(faults).toEqual([]);
});

/** What a reference in the log of a run stands for. */
function whole({ id }: Run, reference: unknown): Promise<string | undefined> {
  const kept = new KeptValues(server.platform.objects, { tenantId: DEFAULT_TENANT, runId: id as RunId });
  return kept.beginning(reference as string, 64 * MB);
}

async function eventsNamed({ id }: Run, name: string): Promise<LoggedEvent[]> {
  return (await caller.events(id)).filter((event): event is LoggedEvent => event.event === name);
}

async function contextOf({ id }: Run): Promise<Record<string, unknown>> {
  const { body } = await caller.send<{ context_values: Record<string, unknown> }>('GET', `${RUNS}/${id}/checkpoint`);
  return body.context_values;
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(join(caller.directory, file), 'utf8')).trimEnd().split('\n');
}

/** Prints a routing directive that a few words of Python make. */
const directive = (id: string, python: string): string =>
  command(id, `python3 -c 'import json; print(json.dumps(${python}))'`, ', output_schema=routing');

async function succeeded(source: string, changes: Record<string, unknown> = {}): Promise<Run> {
  const run = await caller.finish(source, changes, 40_000);
  expect(run.lifecycle).toMatchObject({ status: { kind: 'succeeded' }, error: null });
  return run;
}

describe.each([
  ['300 KB', 300 * KB],
  ['5 MB', 5 * MB],
])('of %s', (_, size) => {
  //  start -> make -> each -> work -> join -> exit
  it('an item of for_each is put to the model once a branch', async () => {
    const run = await succeeded(
      workflow(`${directive('make', `{"context_updates": {"items": ["x" * ${size}, "y"]}}`)}
        each [shape=component, for_each="items"] join [shape=tripleoctagon]
        work [shape=box, prompt="Count."] start -> make -> each -> work -> join -> exit`),
      SIMULATED,
    );
    const prompts = await eventsNamed(run, 'stage.prompt');
    expect(prompts).toHaveLength(2);
    expect(await eventsNamed(run, 'agent.llm.started')).toHaveLength(2);
    const { text, text_bytes, text_blob } = prompts.find(({ stage_id }) => stage_id === 'work@1')!.properties;
    expect(String(text)).toMatch(/^## Completed stages[^]*x…$/);
    expect(text_bytes).toBeGreaterThan(size);
    expect((await whole(run, text_blob))!.includes(`"${'x'.repeat(size)}"`)).toBe(true);
    expect(prompts.find(({ stage_id }) => stage_id === 'work@2')!.properties).not.toHaveProperty('text_bytes');
  });

  it.each([
    ['an agent', 'box', 'agent.message', 'text'],
    ['a prompt', 'tab', 'prompt.completed', 'response'],
  ])('an answer of %s is whole for the next stage and begun in the log', async (_, shape, event, name) => {
    const answer = 'simulate: {"text":"0123456789","times":' + size / 10 + '}';
    const run = await succeeded(
      workflow(`ask [shape=${shape}, prompt="${answer.replaceAll('"', '\\"')}"]
        ${command('count', `wc -c > ${shape}-${size}`, ', stdin_source="response.ask"')}
        start -> ask -> count -> exit`),
      SIMULATED,
    );
    expect(await linesOf(`${shape}-${size}`)).toEqual([String(size)]);
    const [said, ...more] = await eventsNamed(run, event);
    expect(more).toEqual([]);
    expect(String(said!.properties[name])).toMatch(/^(0123456789)+\d*…$/);
    expect(said!.properties[`${name}_bytes`]).toBe(size);
    expect(await whole(run, said!.properties[`${name}_blob`])).toHaveLength(size);
    expect((await contextOf(run))['response.ask']).toMatch(/^blob:/);
  });

  it('what a command puts into the context is whole for the next one', async () => {
    await succeeded(
      workflow(`${directive('make', `{"context_updates": {"big": "x" * ${size}}}`)}
        ${command('count', `wc -c > context-${size}`, ', stdin_source=big')} start -> make -> count -> exit`),
    );
    expect(await linesOf(`context-${size}`)).toEqual([String(size)]);
  });

  it('words of a directive are shortened', async () => {
    const said = `{"outcome": "failed", "failure_reason": "r" * ${size}, "preferred_next_label": "l" * ${100 * KB}}`;
    const run = await caller.finish(workflow(`${directive('a', said)} start -> a -> exit`), {}, 20_000);
    const [failed] = await eventsNamed(run, 'stage.failed');
    const { message } = (failed!.properties as { failure: { message: string } }).failure;
    expect(message).toMatch(/^r+…$/);
    expect(message.length).toBeLessThan(9 * KB);
  });
});

it('a value is whole for the commands of a fork, too', async () => {
  const source = await succeeded(
    workflow(`${directive('make', `{"context_updates": {"big": "x" * ${300 * KB}, "list": ["y" * ${300 * KB}]}}`)}
      ${command('count', 'cat - >> counted-forks', ', stdin_source=big')}
      ${command('list', 'wc -c >> listed', ', stdin_source=list')}
      start -> make -> count -> list -> exit`),
  );
  const { body } = await caller.send<{ new_run_id: string }>('POST', `${RUNS}/${source.id}/fork`, {
    body: { target: 'make' },
  });
  await caller.start(body.new_run_id);
  expect((await caller.ends(body.new_run_id)).lifecycle.status.kind).toBe('succeeded');
  expect((await linesOf('counted-forks'))[0]).toHaveLength(600 * KB);
  expect(await linesOf('listed')).toEqual(['300004', '300004']);
});

it('a directive with more ids than fit names the first', async () => {
  const run = await succeeded(
    workflow(`${directive('a', '{"suggested_next_ids": ["n%d" % n for n in range(100000)]}')} start -> a -> exit`),
  );
  const [, completed] = await eventsNamed(run, 'stage.completed');
  const { suggested_next_ids } = completed!.properties as { suggested_next_ids: string[] };
  expect(suggested_next_ids.slice(0, 2)).toEqual(['n0', 'n1']);
  expect(suggested_next_ids.length).toBeLessThan(2_000);
});

it('more values than one event can name fail their stage by name', async () => {
  const run = await caller.finish(
    workflow(`${directive('a', '{"context_updates": {"key%d" % n: n for n in range(20000)}}')} start -> a -> exit`),
  );
  const [failed] = await eventsNamed(run, 'stage.failed');
  expect(failed!.properties).toMatchObject({
    failure: {
      message: expect.stringContaining('The 20001 context values of this stage do not fit'),
      category: 'deterministic',
    },
  });
});

it('a script of 300 KB is executed, and begun in the log', async () => {
  const script = `: ${'x'.repeat(300 * KB)}\necho done > scripted`;
  const run = await succeeded(workflow(`${command('a', script)} start -> a -> exit`));
  expect(await linesOf('scripted')).toEqual(['done']);
  const [started] = await eventsNamed(run, 'command.started');
  expect(started!.properties.script_bytes).toBe(script.length);
  expect((await whole(run, started!.properties.script_blob)) === script).toBe(true);
});

describe('a manager', () => {
  //  start -> manager -> count -> exit    manager: start -> a -> b -> c -> exit
  it('takes over what its child found, however much it is together', async () => {
    const steps = ['a', 'b', 'c'].map((id) => directive(id, `{"context_updates": {"${id}": "${id}" * 90000}}`));
    const child = workflow(`${steps.join('\n')} start -> a -> b -> c -> exit`);
    const run = await succeeded(
      workflow(`manager [shape=house, stack.child_dot_source=${JSON.stringify(child)}, manager.poll_interval="100ms"]
        ${command('count', 'wc -c > managed', ', stdin_source=b')} start -> manager -> count -> exit`),
    );
    expect(await linesOf('managed')).toEqual(['90000']);
    const context = await contextOf(run);
    expect(['a', 'b', 'c'].filter((key) => String(context[key]).startsWith('blob:')).length).toBeGreaterThan(0);
  });
});

describe('a gate', () => {
  const asking =
    workflow(`ask [shape=hexagon, label="Why?"] ${command('count', 'wc -m > answered', ', stdin_source="human.gate.text"')}
    start -> ask ask -> count [freeform=true] count -> exit`);
  const answered = async (text: string): Promise<{ run: Run; status: number; details: string }> => {
    const run = await caller.begin(asking);
    const [question] = await caller.asks(run.id);
    const path = `${RUNS}/${run.id}/questions/${question!.id}/answer`;
    const { status, text: details } = await caller.send('POST', path, { body: { kind: 'text', text } });
    return { run, status, details };
  };

  it.each([
    ['as many characters as an answer may have', 'x'.repeat(65_536), '65536'],
    ['as many bytes', '\n€'.repeat(20_000), '40000'],
  ])('takes %s', async (_, text, count) => {
    const { run, status } = await answered(text);
    expect(status).toBe(204);
    expect((await caller.ends(run.id)).lifecycle.status.kind).toBe('succeeded');
    expect((await linesOf('answered'))[0]!.trim()).toBe(count);
  });

  it.each([
    ['300 KB', 'x'.repeat(300 * KB), /text must have at most 65536 characters, not 300000/],
    ['as many characters, in more bytes', '€'.repeat(65_536), /text takes 196610 bytes; at most 102400 are allowed/],
  ])('refuses %s, and goes on asking', async (_, text, detail) => {
    const { run, status, details } = await answered(text);
    expect(status).toBe(400);
    expect(details).toMatch(detail);
    expect(await caller.asks(run.id)).toHaveLength(1);
    await caller.cancel(run.id);
  });
});

it('a gate shows the beginning of a large answer', async () => {
  const answer = 'simulate: {\\"text\\":\\"0123456789\\",\\"times\\":40000}';
  const { id } = await caller.begin(
    workflow(`ask [shape=box, prompt="${answer}"] gate [shape=hexagon] start -> ask -> gate gate -> exit [label=Yes]`),
    SIMULATED,
  );
  const [question] = await caller.asks(id);
  expect(question!.context_display).toMatch(/^(0123456789)+\d*…$/);
  await caller.answer(id, question!.id, { kind: 'selected', option_key: 'Y' });
  expect((await caller.ends(id)).lifecycle.status.kind).toBe('succeeded');
});

describe('a hook', () => {
  const hooked = (script: string): Record<string, unknown> => {
    const source = `[[run.hooks]]\nevent = "run_start"\nscript = ${JSON.stringify(script)}\n`;
    return { configs: [{ type: 'project', path: '.runyard/project.toml', source }] };
  };

  it('blocks with as many words as it likes', async () => {
    const script = `python3 -c 'import json; print(json.dumps({"decision": "block", "reason": "no " * 20000}))'`;
    const run = await caller.finish(workflow(`${command('a', 'true')} start -> a -> exit`), hooked(script));
    expect(run.lifecycle).toMatchObject({
      status: { kind: 'failed' },
      error: { message: expect.stringMatching(/^blocked by the hook [^]*no …$|no no/) },
    });
  });
});
