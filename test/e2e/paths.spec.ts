import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, workflow, type Run } from '../support/api-caller.js';
import { isRunning } from '../support/local-sandbox.js';
import { specServer } from '../support/spec-server.js';
import { until } from '../support/until.js';

const RUNS = '/api/v1/runs';
const SIMULATED = { args: { provider: 'simulated' } };

const server = await specServer();
const { caller } = server;

/** The stages it went through, each with how it ended. */
async function path({ id }: Run): Promise<string[]> {
  return (await caller.stages(id)).map(({ id: stage, status }) => `${stage} ${status}`);
}

async function contextOf({ id }: Run): Promise<Record<string, unknown>> {
  const { body } = await caller.send<{ context_values: Record<string, unknown> }>('GET', `${RUNS}/${id}/checkpoint`);
  return body.context_values;
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(join(caller.directory, file), 'utf8')).trimEnd().split('\n');
}

//  start -> fork -> b0 --> join -> exit
//               \-> b1 -/
//               \-> …  -/
function forking(scripts: readonly string[], attributes = ''): string {
  const branches = scripts.map((script, i) => `${command(`b${i}`, script)} fork -> b${i} -> join`);
  return workflow(`fork [shape=component ${attributes}] join [shape=tripleoctagon]
    start -> fork ${branches.join('\n')} join -> exit`);
}

describe('a fork', () => {
  it.each([1, 2, 4])('has at most %i branches at work at once', async (limit) => {
    const file = `at-work-${limit}`;
    const script = `echo 1 >> ${file}; sleep 0.15; echo -1 >> ${file}`;
    const run = await caller.finish(forking(Array<string>(6).fill(script), `, max_parallel=${limit}`));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    let now = 0;
    const seen = (await linesOf(file)).map((step) => (now += Number(step)));
    expect([seen.length, now, Math.max(...seen)]).toEqual([12, 0, limit]);
  });

  it('goes on when one of its branches fails, and says which', async () => {
    const run = await caller.finish(forking(['true', 'exit 3', 'true']));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await path(run)).toEqual([
      'start@1 succeeded',
      'fork@1 partially_succeeded',
      ...['b0@1 succeeded', 'b1@1 failed', 'b2@1 succeeded'],
      'join@1 partially_succeeded',
      'exit@1 succeeded',
    ]);
    expect(await contextOf(run)).toMatchObject({
      'parallel.branch_count': 3,
      'parallel.results': [
        { id: 'b0', index: 0, status: 'succeeded' },
        { id: 'b1', index: 1, status: 'failed' },
        { id: 'b2', index: 2, status: 'succeeded' },
      ],
    });
  });

  it('fails when all of its branches do', async () => {
    const run = await caller.finish(forking(['exit 1', 'exit 2']));
    expect(run.lifecycle).toMatchObject({
      status: { kind: 'failed', reason: 'workflow_error' },
      error: {
        message: expect.stringMatching(/no outgoing fail edge: All parallel branches failed: stage b0: Script failed/),
      },
    });
    const { properties } = await caller.logs(run.id, 'stage.failed', 'fork@1');
    expect(properties).toMatchObject({ failure: { message: 'All parallel branches failed' } });
  });

  //  start -> outer -> inner -> a --> meet -> done -> exit
  //                \        \-> b -/        /
  //                 \-> c -----------------/
  it('may lie in a branch of another one', async () => {
    const source = workflow(`outer [shape=component] inner [shape=component]
      meet [shape=tripleoctagon] done [shape=tripleoctagon]
      ${command('a', 'true')} ${command('b', 'true')} ${command('c', 'true')}
      start -> outer outer -> inner outer -> c inner -> a inner -> b
      a -> meet b -> meet meet -> done c -> done done -> exit`);
    const run = await caller.finish(source);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect((await path(run)).toSorted()).toEqual([
      ...['a@1 succeeded', 'b@1 succeeded', 'c@1 succeeded', 'done@1 succeeded', 'exit@1 succeeded'],
      ...['inner@1 succeeded', 'meet@1 succeeded', 'outer@1 succeeded', 'start@1 succeeded'],
    ]);
    const groups = new Map((await caller.stages(run.id)).map((stage) => [stage.node_id, stage.parallel_group_id]));
    expect(['inner', 'c', 'a', 'b', 'done'].map((node) => groups.get(node) ?? null)).toEqual([
      ...['outer@1', 'outer@1', 'inner@1', 'inner@1'],
      null,
    ]);
  });

  it('keeps what a branch knows to the branch', async () => {
    const script = (value: string): string => `echo '{"context_updates":{"found":"${value}"}}'`;
    const source = workflow(`fork [shape=component] join [shape=tripleoctagon]
      ${command('a', script('by a'), ', output_schema=routing')} ${command('b', script('by b'), ', output_schema=routing')}
      start -> fork fork -> a -> join fork -> b -> join join -> exit`);
    const run = await caller.finish(source);
    const context = await contextOf(run);
    expect(context).not.toHaveProperty('found');
    expect(context['parallel.results']).toMatchObject([
      { id: 'a', context_updates: { found: 'by a' } },
      { id: 'b', context_updates: { found: 'by b' } },
    ]);
  });

  it('whose join asks for it fails the run when one branch failed, before anything behind is done', async () => {
    const source = workflow(`fork [shape=component] join [shape=tripleoctagon]
      ${command('good', 'true')} ${command('bad', 'exit 3')} ${command('release', 'touch released')}
      ${command('stop', 'echo a check failed; exit 1')}
      start -> fork fork -> good -> join fork -> bad -> join
      join -> stop [condition="outcome=partially_succeeded"]
      join -> release -> exit`);
    const run = await caller.finish(source);
    expect(run.lifecycle.status.kind).toBe('failed');
    expect(await path(run)).toContain('join@1 partially_succeeded');
    expect(await path(run)).not.toContain('release@1 succeeded');
    const joined = await caller.logs(run.id, 'stage.completed', 'join@1');
    expect(joined.properties).toMatchObject({ notes: 'Joined 2 parallel branches: 1 of 2 failed (bad)' });
  });

  it('that is cancelled leaves no command behind', async () => {
    const { id } = await caller.begin(
      forking(Array<string>(4).fill('echo $$ >> pids; sleep 300 & echo $! >> pids; wait')),
    );
    await until(async () => (await linesOf('pids').catch(() => [])).length === 8, 'all commands run');
    await caller.cancel(id);
    const run = await caller.ends(id);
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'cancelled' });
    const pids = (await linesOf('pids')).map(Number);
    await until(async () => !(await Promise.all(pids.map(isRunning))).includes(true), 'no process is left');
    const open = (await caller.stages(id)).filter(({ status }) => status === 'running');
    expect(open).toEqual([]);
  });
});

describe('for_each', () => {
  //  start -> list -> each -> work -> join -> exit
  const over = (script: string, source = 'items'): string =>
    workflow(`${command('list', script, ', output_schema=routing')}
      each [shape=component, for_each="${source}", max_parallel=8] join [shape=tripleoctagon]
      work [shape=tab, prompt="Look at it."]
      start -> list -> each -> work -> join -> exit`);
  const printing = (items: unknown): string => `echo '${JSON.stringify({ context_updates: { items } })}'`;

  it('asks about each item of a list that a command made, and keeps their order', async () => {
    const items = Array.from({ length: 20 }, (_, i) => ({ name: `item ${i}`, size: i }));
    const run = await caller.finish(over(printing(items)), SIMULATED);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const results = (await contextOf(run))['parallel.results'] as { index: number; item_label: string; id: string }[];
    expect(results.map(({ id, index, item_label }) => [id, index, item_label])).toEqual(
      items.map(({ name }, i) => ['work', i, name]),
    );
    const branches = (await caller.stages(run.id)).filter(({ node_id }) => node_id === 'work');
    expect(branches.map((stage) => stage.parallel_branch_index)).toEqual(items.map((_, i) => i));
    const simulated = { mode: 'prompt', provider: 'simulated', model: 'simulated' };
    expect(branches.map((stage) => stage.provider_used)).toEqual(items.map(() => simulated));
    const prompts = (await caller.events(run.id)).filter(({ event }) => event === 'stage.prompt');
    const texts = prompts.map(({ properties }) => String(properties?.text));
    expect(texts).toHaveLength(20);
    const fenced = texts.map((text) => /<untrusted-([0-9a-f]{16})>\n([^]*)\n<\/untrusted-\1>$/.exec(text));
    expect(new Set(fenced.map((match) => match?.[1])).size).toBe(20);
    const asked = fenced.map((match) => JSON.parse(match![2]!) as (typeof items)[number]);
    expect(asked.toSorted((a, b) => a.size - b.size)).toEqual(items);
  });

  it('goes on at once over an empty list', async () => {
    const run = await caller.finish(over(printing([])), SIMULATED);
    expect(await path(run)).toEqual([
      ...['start@1 succeeded', 'list@1 succeeded', 'each@1 succeeded', 'join@1 succeeded', 'exit@1 succeeded'],
    ]);
  });

  it.each([
    ['1,001 items', over(printing(Array<number>(1_001).fill(0))), "for_each source 'items' has 1001 items"],
    ['no list', over(printing({ not: 'a list' })), "for_each source 'items' must resolve to a JSON array"],
    ['nothing', over(printing([]), 'others'), "for_each source 'others' was not found in workflow context"],
  ])('over %s fails before any branch begins', async (_, source, message) => {
    const run = await caller.finish(source, SIMULATED);
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'workflow_error' });
    expect(await path(run)).toEqual(['start@1 succeeded', 'list@1 succeeded', 'each@1 failed']);
    const { properties } = await caller.logs(run.id, 'stage.failed', 'each@1');
    expect(properties).toMatchObject({ failure: { message: expect.stringContaining(message) } });
  });

  it('goes through the list in a file that a stage names', async () => {
    const script = `echo '[{"name":"one"},{"name":"two"}]' > list.json; echo "file://$PWD/list.json"`;
    const source = over(script, 'command.output').replace(', output_schema=routing', '');
    const run = await caller.finish(source, SIMULATED);
    const results = (await contextOf(run))['parallel.results'] as { item_label: string }[];
    expect(results.map(({ item_label }) => item_label)).toEqual(['one', 'two']);
  });

  it('fails the stage that names a file which is not there', async () => {
    const source = over('echo file:///not/there.json', 'command.output').replace(', output_schema=routing', '');
    const run = await caller.finish(source, SIMULATED);
    const { properties } = await caller.logs(run.id, 'stage.failed', 'list@1');
    expect(properties).toMatchObject({
      failure: { message: expect.stringContaining('names the file /not/there.json, which cannot be read') },
    });
  });

  it('takes a thousand items', async () => {
    const run = await caller.finish(over(printing(Array<number>(1_000).fill(0))), SIMULATED, 80_000);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await contextOf(run)).toMatchObject({ 'parallel.branch_count': 1_000 });
  }, 90_000);
});

describe('a sub-workflow', () => {
  const child = (statements: string): string => JSON.stringify(workflow(statements));
  const managing = (statements: string, attributes = ''): string =>
    workflow(`manager [shape=house, stack.child_dot_source=${child(statements)}, goal_gate=true,
      manager.poll_interval="100ms" ${attributes}] ${command('after', 'true')}
      start -> manager -> after -> exit`);

  it('hands over what it found', async () => {
    const found = command('find', `echo '{"context_updates":{"found":42}}'`, ', output_schema=routing');
    const run = await caller.finish(managing(`${found} start -> find -> exit`));
    expect(await path(run)).toEqual([
      ...['start@1 succeeded', 'manager@1 succeeded'],
      ...['manager.start@1 succeeded', 'manager.find@1 succeeded', 'manager.exit@1 succeeded'],
      ...['after@1 succeeded', 'exit@1 succeeded'],
    ]);
    expect(await contextOf(run)).toMatchObject({ found: 42 });
  });

  it('is stopped when what it knows satisfies the stop condition', async () => {
    const count = command(
      'count',
      `echo x >> rounds; echo "{\\"context_updates\\":{\\"rounds\\":$(wc -l < rounds)}}"`,
      ', output_schema=routing',
    );
    const rest = 'rest [shape=insulator, duration="50ms"]';
    const run = await caller.finish(
      managing(
        `${count} ${rest} start -> count -> rest -> count count -> exit [condition="rounds > 1000"]`,
        ', manager.stop_condition="rounds >= 3"',
      ),
    );
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const { properties } = await caller.logs(run.id, 'stage.completed', 'manager@1');
    expect(properties).toMatchObject({ notes: expect.stringMatching(/^Stop condition satisfied at cycle \d+$/) });
    expect((await linesOf('rounds')).length).toBeGreaterThanOrEqual(3);
  });

  it('fails its manager when it fails', async () => {
    const run = await caller.finish(managing(`${command('bad', 'exit 7', ', goal_gate=true')} start -> bad -> exit`));
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'workflow_error' });
    const { properties } = await caller.logs(run.id, 'subgraph.completed');
    expect(properties).toMatchObject({ status: 'failed' });
    const failed = await caller.logs(run.id, 'stage.failed', 'manager@1');
    expect(failed.properties).toMatchObject({
      failure: {
        message: expect.stringContaining(
          'goal gate unsatisfied for node manager.bad and no retry target: stage manager.bad:',
        ),
      },
    });
  });

  it('is looked at no more than so often', async () => {
    const run = await caller.finish(
      managing(`${command('long', 'sleep 60')} start -> long -> exit`, ', manager.max_cycles=3'),
    );
    expect(run.lifecycle.status.kind).toBe('failed');
    const { properties } = await caller.logs(run.id, 'stage.failed', 'manager@1');
    expect(properties).toMatchObject({
      failure: { message: 'Max cycles (3) exceeded for manager loop node: manager' },
    });
  });
});

describe('a value of 300 KB', () => {
  //  start -> make -> fork -> count --> join -> look -> right -> exit
  //                       \-> other -/              \-> wrong -> exit
  it('comes to the commands of branches and to conditions, whole', async () => {
    const script = `python3 -c 'import json; print(json.dumps({"context_updates": {"big": "x" * 300000 + " needle"}}))'`;
    const source = workflow(`${command('make', script, ', output_schema=routing')}
      fork [shape=component] join [shape=tripleoctagon] look [shape=diamond]
      ${command('count', 'wc -c > counted', ', stdin_source=big')} ${command('other', 'true')}
      ${command('right', 'true')} ${command('wrong', 'true')}
      start -> make -> fork fork -> count -> join fork -> other -> join join -> look
      look -> right [condition="big contains needle"] look -> wrong
      right -> exit wrong -> exit`);
    const run = await caller.finish(source);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await linesOf('counted')).toEqual(['300007']);
    expect(await path(run)).toContain('right@1 succeeded');
    expect((await contextOf(run)).big).toMatch(/^blob:\/\/sha256\/[0-9a-f]{64}$/);
  });
});
