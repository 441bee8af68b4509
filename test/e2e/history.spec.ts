import { describe, expect, it, jest } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { components } from '#libs/api-client';
import { type Answer, command, type EventEnvelope, workflow, type Run } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';

type Fork = components['schemas']['ForkResponse'];
type Rewound = components['schemas']['RewindResponse'];
type Edits = components['schemas']['ForkEdits'];
type Billing = components['schemas']['RunBilling'];
type Checkpoint = components['schemas']['RunCheckpoint'];

const RUNS = '/api/v1/runs';

const server = await specServer();
const { caller } = server;

async function get<T>(id: string, what: string): Promise<T> {
  const { status, body } = await caller.send<T>('GET', `${RUNS}/${id}/${what}`);
  expect([what, status]).toEqual([what, 200]);
  return body;
}

function forking(id: string, body?: unknown): Promise<Answer<Fork & { errors: { detail: string; code?: string }[] }>> {
  return caller.send('POST', `${RUNS}/${id}/fork`, { body });
}

async function fork(id: string, target?: string, edits?: Edits): Promise<Fork> {
  const { status, body } = await forking(id, { target, edits });
  expect([status, body]).toEqual([200, expect.objectContaining({ source_run_id: id })]);
  return body;
}

async function finish(id: string): Promise<Run> {
  await caller.start(id);
  return caller.ends(id);
}

/** What was really done, in its order. */
async function done(file: string): Promise<string> {
  return (await readFile(join(caller.directory, file), 'utf8')).trimEnd().replaceAll('\n', ' ');
}

//  start -> a -> b -> c -> exit      each writes its name into the file
const chain = (file: string, more = ''): string => {
  const writing = (name: string, attributes = ''): string => command(name, `echo ${name} >> ${file}`, attributes);
  return workflow(`${writing('a')} ${writing('b')} ${writing('c')} ${more} start -> a -> b -> c -> exit`);
};

describe('the history of a run', () => {
  it('is a list of points from which it can be forked', async () => {
    const { id } = await caller.finish(chain('history'));
    const timeline = await get<Record<string, unknown>[]>(id, 'timeline');
    const checkpoints = (await caller.events(id)).filter(({ event }) => event === 'checkpoint.completed');
    expect(timeline).toEqual(
      ['start', 'a', 'b', 'c'].map((node_name, i) => ({
        ordinal: i + 1,
        node_name,
        visit: 1,
        checkpoint_seq: checkpoints[i]!.seq,
        run_commit_sha: null,
      })),
    );
    expect(await get<Checkpoint>(id, 'checkpoint')).toMatchObject({
      timestamp: checkpoints[3]!.ts,
      current_node: 'c',
      next_node_id: 'exit',
      completed_nodes: ['start', 'a', 'b', 'c'],
      node_outcomes: { start: 'succeeded', a: 'succeeded', b: 'succeeded', c: 'succeeded' },
      context_values: { 'command.output': '' },
    });
  });

  it('shows each checkpoint whole, in the log as by itself', async () => {
    const source =
      workflow(`goal="Ship it" ${command('a', `echo '{"context_updates":{"x":1}}'`, ', output_schema=routing')}
      ${command('b', 'exit 3')} start -> a -> b -> exit`);
    const { id } = await caller.finish(source);
    const shown = async (query: string) =>
      (await caller.send<{ data: EventEnvelope[] }>('GET', `${RUNS}/${id}/events?${query}`)).body.data.filter(
        ({ event }) => event === 'checkpoint.completed',
      );
    const [, atA, atB] = await shown('limit=1000');
    expect(atA!.properties).toMatchObject({
      ordinal: 2,
      status: 'succeeded',
      graph_visit: 1,
      completed_nodes: ['start', 'a'],
      node_visits: { start: 1, a: 1 },
      context_values: { x: 1, current_node: 'a', outcome: 'succeeded', 'graph.goal': 'Ship it', 'internal.run_id': id },
    });
    const { timestamp, ...last } = await get<Checkpoint>(id, 'checkpoint');
    expect(timestamp).toBe(atB!.ts);
    expect(atB!.properties).toEqual({ ...last, ordinal: 3, status: 'failed', graph_visit: 1 });
    expect(last.context_values).toMatchObject({ outcome: 'failed', failure_class: 'deterministic', current_node: 'b' });
    expect(last.context_values['internal.work_dir']).toEqual(expect.any(String));
    expect(await shown(`since_seq=${atB!.seq}&limit=1`)).toEqual([atB]);
    expect(await shown(`order=desc&before_seq=${atB!.seq + 1}`)).toEqual([atB, atA, expect.anything()]);

    const state = await get<components['schemas']['RunProjection']>(id, 'state');
    expect(state.checkpoint).toEqual({ timestamp, ...last });
    expect(state.context).toMatchObject({ x: 1, 'graph.goal': 'Ship it', 'internal.run_id': id });
  });

  it('ends a page early rather than show more than 4 MiB of whole checkpoints', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `n${n}`);
    const fills = (name: string): string =>
      command(
        name,
        `printf '{"context_updates":{"${name}":"%s"}}' "$(head -c 60000 /dev/zero | tr '\\0' x)"`,
        ', output_schema=routing',
      );
    const { id } = await caller.finish(
      workflow(`${names.map(fills).join(' ')} start -> ${names.join(' -> ')} -> exit`),
    );
    type Page = { data: EventEnvelope[]; meta: { has_more: boolean } };
    const page = async (query: string): Promise<Page> => {
      const { status, text, body } = await caller.send<Page>('GET', `${RUNS}/${id}/events?limit=1000&${query}`);
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(12 * 1024 * 1024);
      return body;
    };
    const forwards: number[] = [];
    for (let more = true; more;) {
      const { data, meta } = await page(`since_seq=${forwards.length + 1}`);
      forwards.push(...data.map(({ seq }) => seq));
      more = meta.has_more;
    }
    const backwards: number[] = [];
    for (let more = true; more;) {
      const { data, meta } = await page(`order=desc&before_seq=${backwards.at(-1) ?? forwards.length + 1}`);
      backwards.push(...data.map(({ seq }) => seq));
      more = meta.has_more;
    }
    expect(forwards).toEqual(forwards.map((_, i) => i + 1));
    expect(backwards).toEqual(forwards.toReversed());
  });

  it('shows the last checkpoint as it was, whatever has happened since', async () => {
    const { id } = await caller.begin(
      workflow(`fork [shape=component] join [shape=tripleoctagon]
        ${command('a', 'true')} ${command('b', 'sleep 60')}
        start -> fork fork -> a fork -> b a -> join b -> join join -> exit`),
    );
    await caller.logs(id, 'stage.completed', 'a@1');
    expect(await get<Checkpoint>(id, 'checkpoint')).toMatchObject({
      current_node: 'start',
      next_node_id: 'fork',
      completed_nodes: ['start'],
      node_outcomes: { start: 'succeeded' },
      context_values: {},
    });
    await caller.cancel(id);
  });

  it('counts how often a stage was tried again', async () => {
    const slowAtFirst = '[ -e tried ] || { touch tried; sleep 60; }';
    const { id } = await caller.finish(
      workflow(`${command('a', slowAtFirst, ', timeout="300ms", retry_policy=aggressive')} start -> a -> exit`),
    );
    expect(await get<Checkpoint>(id, 'checkpoint')).toMatchObject({ node_retries: { start: 0, a: 1 } });
  });

  it('is empty before the run begins', async () => {
    const { id } = await caller.create(chain('never'));
    expect(await get(id, 'timeline')).toEqual([]);
    expect(await get(id, 'checkpoint')).toBeNull();
    const { status, body } = await forking(id);
    expect([status, body.errors[0]!.code]).toEqual([409, 'no_checkpoint']);
  });
});

describe('a fork', () => {
  it.each([
    ['@2', 'a', 'b', 'a b c b c'],
    ['a', 'a', 'b', 'a b c b c'],
    ['a@1', 'a', 'b', 'a b c b c'],
    ['@1', 'start', 'a', 'a b c a b c'],
    [undefined, 'c', 'exit', 'a b c'],
  ])('at %s goes on after that and does nothing twice', async (target, last, next, all) => {
    const file = `fork-${target ?? 'none'}`;
    const source = await caller.finish(chain(file));
    const { new_run_id, target: shown, next_node_id, kept_stages, dropped_stages } = await fork(source.id, target);
    const nodes = ['start', 'a', 'b', 'c'];
    const kept = nodes.indexOf(last) + 1;
    expect({ shown, next_node_id, kept_stages, dropped_stages }).toEqual({
      shown: `@${kept}`,
      next_node_id: next,
      kept_stages: nodes.slice(0, kept).map((node) => `${node}@1`),
      dropped_stages: [...nodes, 'exit'].slice(kept).map((node) => `${node}@1`),
    });
    const created = await caller.get(new_run_id);
    expect(created).toMatchObject({
      parent_id: null,
      retried_from: null,
      lifecycle: { status: { kind: 'submitted' } },
    });
    expect(await done(file)).toBe('a b c');

    expect((await finish(new_run_id)).lifecycle.status.kind).toBe('succeeded');
    expect(await done(file)).toBe(all);
    expect(await get<object[]>(new_run_id, 'timeline')).toHaveLength(4);
    expect((await caller.stages(new_run_id)).map(({ id, status }) => `${id} ${status}`)).toEqual(
      [...nodes, 'exit'].map((node) => `${node}@1 succeeded`),
    );
    expect(await caller.get(source.id)).toEqual(source);
  });

  it.each([
    ['@0', 'target must be "@N"'],
    ['@x', 'target must be "@N"'],
    ['a@', 'target must be "@N"'],
    ['', 'target must be "@N"'],
    ['@9', 'has no checkpoint "@9"; it has @1 (start@1), @2 (a@1), @3 (b@1), @4 (c@1).'],
    ['a@2', 'has no checkpoint "a@2"'],
    ['nowhere', 'has no checkpoint "nowhere"'],
    ['exit', 'has no checkpoint "exit"'],
  ])('at "%s" is refused', async (target, detail) => {
    const { id } = await caller.finish(chain('refused'));
    const { status, body } = await forking(id, { target });
    expect([status, body.errors[0]!.detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  it('of a loop goes on from the visit that is named', async () => {
    const source = workflow(`${command('count', 'echo x >> loop; [ $(wc -l < loop) -ge 3 ]')}
      start -> count count -> exit [condition="outcome=succeeded"] count -> count`);
    const { id } = await caller.finish(source);
    expect((await fork(id, 'count@2')).kept_stages).toEqual(['start@1', 'count@1', 'count@2']);
    const { new_run_id, target } = await fork(id, 'count@1');
    expect(target).toBe('@2');
    await finish(new_run_id);
    expect((await caller.stages(new_run_id)).map(({ id: stage }) => stage)).toEqual([
      ...['start@1', 'count@1', 'count@2', 'exit@1'],
    ]);
    expect(await done('loop')).toBe('x x x x');
  });

  //  start -> way -> set -> again -restarts-> way ; way -second visit-> look -> forgotten / remembered -> exit
  const restarting =
    workflow(`way [shape=diamond] look [shape=diamond] forgotten [shape=diamond] remembered [shape=diamond]
    ${command('set', `echo '{"context_updates":{"k":"v"}}'`, ', output_schema=routing')} ${command('again', 'true')}
    start -> way way -> look [condition="internal.node_visit_count = 2"] way -> set set -> again
    again -> way [loop_restart=true]
    look -> forgotten [condition="!k"] look -> remembered forgotten -> exit remembered -> exit`);

  it('at a node that restarts the loop restarts it, too', async () => {
    const source = await caller.finish(restarting);
    const stages = (await caller.stages(source.id)).map(({ id }) => id);
    expect(stages).toEqual(['start@1', 'way@1', 'set@1', 'again@1', 'way@2', 'look@1', 'forgotten@1', 'exit@1']);

    const { new_run_id, next_node_id } = await fork(source.id, 'again');
    expect(next_node_id).toBe('way');
    const again = await fork(new_run_id);
    for (const id of [new_run_id, again.new_run_id]) {
      expect((await get<Checkpoint>(id, 'checkpoint')).context_values).toMatchObject({ k: 'v' });
      await finish(id);
      expect((await caller.stages(id)).map((stage) => stage.id)).toEqual(stages);
      const told = (await caller.events(id)).map(({ event }) => event);
      expect(told.filter((event) => event === 'loop.restart' || event === 'run.started')).toEqual([
        'loop.restart',
        'run.started',
      ]);
      expect((await get<Checkpoint>(id, 'checkpoint')).context_values).not.toHaveProperty('k');
    }
  });

  it('can be made of a run that is still at work, and of a fork', async () => {
    const { id } = await caller.begin(
      workflow(`${command('a', 'echo a >> live')} ${command('b', 'sleep 60')} start -> a -> b -> exit`),
    );
    await caller.logs(id, 'command.started', 'b@1');
    const { new_run_id, next_node_id } = await fork(id);
    expect(next_node_id).toBe('b');
    const again = await fork(new_run_id, 'start', { workflow_source: chain('live') });
    await caller.cancel(id);
    await finish(again.new_run_id);
    expect(await done('live')).toBe('a a b c');
  });
});

describe('a stage in a branch', () => {
  //  start -> outer -> inner -> a --> meet -> done -> exit
  //                \        \-> b -/        /
  //                 \-> c -----------------/
  it('is stood for by the outermost node that forks', async () => {
    const { id } = await caller.finish(
      workflow(`outer [shape=component] inner [shape=component] meet [shape=tripleoctagon] done [shape=tripleoctagon]
        ${command('a', 'true')} ${command('b', 'true')} ${command('c', 'true')}
        start -> outer outer -> inner outer -> c inner -> a inner -> b
        a -> meet b -> meet meet -> done c -> done done -> exit`),
    );
    const timeline = await get<{ node_name: string }[]>(id, 'timeline');
    expect(timeline.map(({ node_name }) => node_name)).toEqual(['start', 'outer', 'done']);
    for (const target of ['outer', 'inner', 'a', 'c@1']) {
      const { target: shown, next_node_id, kept_stages } = await fork(id, target);
      expect([target, shown, next_node_id]).toEqual([target, '@2', 'done']);
      expect(kept_stages.toSorted()).toEqual(['a@1', 'b@1', 'c@1', 'inner@1', 'meet@1', 'outer@1', 'start@1']);
    }
  });
});

describe('an edit of a fork', () => {
  const source = (file: string): string =>
    workflow(`goal="Say it" ${command('a', `echo '{"context_updates":{"word":"old"}}'`, ', output_schema=routing')}
      ${command('b', `{ echo {{ inputs.name }}; cat; echo; } > ${file}`, ', stdin_source=word')}
      ask [shape=tab, prompt="What is next?"]
      start -> a -> b -> ask -> exit`);
  const manifest = { args: { provider: 'simulated', input: ['name=ada', 'other=1'] } };

  async function edited(file: string, edits: Edits, target = 'a'): Promise<Run> {
    const { id } = await caller.finish(source(file), manifest);
    expect(await done(file)).toBe('ada old');
    const run = await finish((await fork(id, target, edits)).new_run_id);
    expect(run.lifecycle.status.kind).toBe('succeeded');
    return run;
  }

  it('changes the goal that later stages are told', async () => {
    const run = await edited('goal', { goal: 'Sing it' });
    expect(run.goal).toBe('Sing it');
    const { properties } = await caller.logs(run.id, 'stage.prompt');
    expect(properties?.text).toContain('Goal: Sing it');
  });

  it('changes inputs, and keeps the others', async () => {
    const run = await edited('inputs', { inputs: { name: 'bob=1' } });
    expect(await done('inputs')).toBe('bob=1 old');
    expect(await get(run.id, 'settings')).toMatchObject({ run: { inputs: { name: 'bob=1', other: 1 } } });
  });

  it('that names an input which nobody reads is refused', async () => {
    const { id } = await caller.finish(source('unread'), manifest);
    const misspelt = { inputs: { nmae: 'bob' } };
    const path = `/api/v1/runs/${id}/retry`;
    for (const { status, text } of [
      await forking(id, { edits: misspelt }),
      await caller.send('POST', path, { body: { edits: misspelt } }),
    ]) {
      expect(status).toBe(400);
      expect(text).toContain('edits.inputs.nmae: the workflow reads no input of that name. Did you mean \\"name\\"?');
    }
  });

  it('changes the context', async () => {
    const run = await edited('context', { context: { word: 'new', more: [1, { two: 2 }] } });
    expect(await done('context')).toBe('ada new');
    expect((await get<Checkpoint>(run.id, 'checkpoint')).context_values).toMatchObject({ more: [1, { two: 2 }] });
  });

  it('changes the source behind the checkpoint', async () => {
    const workflow_source = source('source').replace('cat;', 'echo { ; cat; echo };');
    await edited('source', { workflow_source });
    expect(await done('source')).toBe('ada { old}');
  });

  it('has questions answered by themselves', async () => {
    const asking = workflow(`${command('a', 'true')} gate [shape=hexagon, label="Go on?"]
      start -> a -> gate
      gate -> exit [label="[Y] Yes"]`);
    const { id } = await caller.begin(asking);
    await caller.asks(id);
    await caller.cancel(id);
    const { new_run_id } = await fork(id, 'a', { auto_approve: true });
    expect((await finish(new_run_id)).lifecycle.status.kind).toBe('succeeded');
    await caller.ends(id);
    const path = `/api/v1/runs/${id}/retry`;
    const { body } = await caller.send<Run>('POST', path, { body: { edits: { auto_approve: true } } });
    expect((await caller.ends(body.id)).lifecycle.status.kind).toBe('succeeded');
  });

  it('changes the default model', async () => {
    const { id } = await caller.finish(source('model'), { args: { dry_run: true, input: ['name=ada'] } });
    const { new_run_id } = await fork(id, 'a', { model: 'claude-opus-5' });
    expect(await get(new_run_id, 'settings')).toMatchObject({ run: { model: { name: 'claude-opus-5' } } });
    expect((await finish(new_run_id)).lifecycle.status.kind).toBe('succeeded');
  });

  it.each<[string, Edits, string]>([
    ['a source without the node to go on with', { workflow_source: workflow('start -> exit') }, 'has no node "b"'],
    ['a source that is no workflow', { workflow_source: 'digraph {' }, 'spec.dot'],
  ])('that names %s is refused', async (_, edits, detail) => {
    const { id } = await caller.finish(source('unedited'), manifest);
    const { total } = (await caller.send<{ meta: { total: number } }>('GET', RUNS)).body.meta;
    const { status, body } = await forking(id, { target: 'a', edits });
    expect([status, body.errors[0]!.detail]).toEqual([400, expect.stringContaining(detail)]);
    expect((await caller.send('GET', RUNS)).body).toMatchObject({ meta: { total } });
  });
});

describe('what a fork copies', () => {
  it('says where it was first said, also in a fork of the fork', async () => {
    const { id } = await caller.finish(workflow('start -> exit'));
    const [start] = (await caller.events(id)).filter(({ event }) => event === 'stage.started');
    const { new_run_id } = await fork(id);
    const again = await fork(new_run_id);
    for (const copy of [new_run_id, again.new_run_id]) {
      const origins = (await caller.events(copy)).map(({ event, origin }) => [event, origin]);
      expect(origins).toContainEqual(['stage.started', { run_id: id, seq: start!.seq }]);
      expect(origins[0]).toEqual(['run.created', undefined]);
    }
  });

  it('is all that the source kept: of one that is removed meanwhile nothing is made', async () => {
    const { id } = await caller.finish(
      workflow(`${command('big', 'head -c 20000 /dev/zero | tr "\\0" x')} start -> big -> exit`),
    );
    const { objects } = server.platform;
    const get = objects.get.bind(objects);
    const copying = jest.spyOn(objects, 'get').mockImplementationOnce(async (key) => {
      expect((await caller.send('DELETE', `${RUNS}/${id}`)).status).toBe(204);
      return get(key);
    });
    expect((await forking(id)).status).toBe(404);
    expect(copying).toHaveBeenCalled();
    copying.mockRestore();
  });

  it('is not paid again', async () => {
    const source = workflow(`one [shape=tab, prompt="One"] two [shape=tab, prompt="Two"] start -> one -> two -> exit`);
    const { id } = await caller.finish(source, { args: { provider: 'simulated' } });
    const tokens = async (run: string): Promise<number[]> => {
      const { stages, totals } = await get<Billing>(run, 'billing');
      return [...stages.map(({ billing }) => billing.total_tokens), totals.total_tokens];
    };
    const [one = 0, two = 0, total] = await tokens(id);
    expect([one > 0, two > 0, total]).toEqual([true, true, one + two]);
    const { new_run_id } = await fork(id, 'one');
    expect(await tokens(new_run_id)).toEqual([0, 0]);
    await finish(new_run_id);
    expect(await tokens(new_run_id)).toEqual([0, two, two]);
    expect((await caller.get(new_run_id)).size).toBe('XS');
  });
});

describe('resuming', () => {
  const resume = (id: string): Promise<Answer<Run & { errors: { code?: string }[] }>> =>
    caller.send('POST', `${RUNS}/${id}/start`, { body: { resume: true } });

  it('repeats the stage at which a run was cancelled, and nothing before it', async () => {
    const script = 'echo b >> resumed; while [ ! -e repaired ]; do sleep 0.05; done';
    const source = workflow(`${command('a', 'echo a >> resumed')} ${command('b', script)} start -> a -> b -> exit`);
    const { id } = await caller.begin(source);
    await caller.logs(id, 'command.started', 'b@1');
    expect((await resume(id)).status).toBe(409);
    await caller.cancel(id);
    await caller.ends(id);

    await writeFile(join(caller.directory, 'repaired'), '');
    const { status, body } = await resume(id);
    expect([status, body.lifecycle.error]).toEqual([200, null]);
    const run = await caller.ends(id);
    expect(run.lifecycle.status).toEqual({ kind: 'succeeded', reason: 'completed' });
    expect(await done('resumed')).toBe('a b b');
    const stages = await caller.stages(id);
    expect(stages.map((stage) => [stage.id, stage.status, stage.graph_visit, stage.resumed_from_stage_id])).toEqual([
      ['start@1', 'succeeded', 1, null],
      ['a@1', 'succeeded', 1, null],
      ['b@1', 'cancelled', 1, null],
      ['b@2', 'succeeded', 1, 'b@1'],
      ['exit@1', 'succeeded', 1, null],
    ]);
    expect((await resume(id)).status).toBe(409);
  });

  it('repeats a stage that failed, as often as a person wants', async () => {
    const { id } = await caller.finish(
      workflow(`${command('a', 'true')} ${command('last', 'echo x >> tries; [ $(wc -l < tries) -ge 3 ]')}
        start -> a a -> last a -> exit [condition="outcome=failed"]`),
    );
    for (const expected of ['failed', 'succeeded']) {
      expect((await caller.get(id)).lifecycle.status.kind).toBe('failed');
      expect((await resume(id)).status).toBe(200);
      expect((await caller.ends(id)).lifecycle.status.kind).toBe(expected);
    }
    const repeated = (await caller.stages(id)).filter(({ node_id }) => node_id === 'last');
    expect(repeated.map((stage) => [stage.id, stage.status, stage.resumed_from_stage_id])).toEqual([
      ['last@1', 'failed', null],
      ['last@2', 'failed', 'last@1'],
      ['last@3', 'succeeded', 'last@2'],
    ]);
  });

  it('needs a checkpoint', async () => {
    const { id } = await caller.create(workflow('start -> exit'));
    const unborn = await resume(id);
    expect([unborn.status, unborn.body.errors]).toEqual([
      409,
      [
        expect.objectContaining({
          code: 'no_checkpoint',
          detail: expect.stringContaining('start it without "resume"'),
        }),
      ],
    ]);
    expect((await caller.get(id)).lifecycle.status.kind).toBe('submitted');
    await caller.cancel(id);
    const { status, body } = await resume(id);
    expect([status, body.errors[0]!.code]).toEqual([409, 'no_checkpoint']);
  });

  it('starts a fork, which has one', async () => {
    const { id } = await caller.finish(workflow('start -> exit'));
    const { new_run_id } = await fork(id);
    expect((await resume(new_run_id)).status).toBe(200);
    expect((await caller.ends(new_run_id)).lifecycle.status.kind).toBe('succeeded');
  });
});

describe('rewinding', () => {
  const rewind = (id: string, body?: unknown): Promise<Answer<Rewound>> =>
    caller.send('POST', `${RUNS}/${id}/rewind`, { body });

  it('forks a run that is over, and retires it', async () => {
    const { id } = await caller.finish(chain('rewound'));
    const { status, body } = await rewind(id, { target: 'a' });
    expect([status, body]).toEqual([
      200,
      { source_run_id: id, new_run_id: expect.any(String), target: '@2', archived: true },
    ]);
    expect(await caller.get(id)).toMatchObject({
      superseded_by: body.new_run_id,
      lifecycle: { status: { kind: 'succeeded' }, archived: true },
    });
    const [superseded, archived] = (await caller.events(id)).slice(-2);
    expect([superseded?.event, archived?.event]).toEqual(['run.superseded_by', 'run.archived']);
    expect(superseded?.properties).toEqual({
      new_run_id: body.new_run_id,
      target_checkpoint_ordinal: 2,
      target_node_id: 'a',
      target_visit: 1,
    });
    await finish(body.new_run_id);
    expect(await done('rewound')).toBe('a b c b c');
    expect((await rewind(id)).status).toBe(409);
  });

  it('of a run that is at work is refused, and changes nothing', async () => {
    const { id } = await caller.begin(workflow(`${command('long', 'sleep 60')} start -> long -> exit`));
    await caller.logs(id, 'command.started');
    const log = await caller.events(id);
    expect((await rewind(id)).status).toBe(409);
    expect(await caller.events(id)).toEqual(log);
    await caller.cancel(id);
    await caller.ends(id);
  });

  it('to nowhere leaves the run as it is', async () => {
    const { id } = await caller.finish(chain('kept'));
    for (const target of ['@9', 'nowhere', 'a@7', '@']) expect((await rewind(id, { target })).status).toBe(400);
    expect((await caller.get(id)).lifecycle.archived).toBe(false);
  });
});
