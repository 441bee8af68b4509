import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, workflow, type ApiCaller, type EventEnvelope, type Run } from '../support/api-caller.js';
import { testServer, type TestServer } from '../support/server.js';
import { Strain } from '../support/strain.js';

const RUNS = '/api/v1/runs';
const SIMULATED = { args: { provider: 'simulated' } };
const HELD_MS = 250;

let server: TestServer;
let caller: ApiCaller;
beforeAll(async () => {
  server = await testServer();
  caller = server.caller;
  await caller.finish(workflow(`${command('a', 'true')} start -> a -> exit`));
});
afterAll(() => server.close());

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const written = (file: string): Promise<string> => readFile(join(caller.directory, file), 'utf8');

/** Prints a routing directive that a few words of Python make. */
const directive = (id: string, python: string): string =>
  command(id, `python3 -c 'import json; print(json.dumps({"context_updates": ${python}}))'`, ', output_schema=routing');

/** Writes what a key of the context holds into a file. */
const tell = (id: string, key: string, file: string): string => command(id, `cat > ${file}`, `, stdin_source="${key}"`);

async function succeeded(source: string, changes: Record<string, unknown> = {}): Promise<Run> {
  const run = await caller.finish(source, changes, 40_000);
  expect(run.lifecycle).toMatchObject({ status: { kind: 'succeeded' }, error: null });
  return run;
}

async function propertiesOf(id: string, event: string, stageId?: string): Promise<Record<string, unknown>[]> {
  const of = (each: EventEnvelope): boolean => each.event === event && (!stageId || each.stage_id === stageId);
  return (await caller.events(id)).filter(of).map(({ properties }) => properties as Record<string, unknown>);
}

describe('V1: text of an author that looks like a reference', () => {
  // What a, b and c print is known beforehand, so are their digests.
  const a = 'x'.repeat(110_000);
  const b = JSON.stringify(Array(1_500).fill(`blob://sha256/${sha(a)}`));
  const c = JSON.stringify(Array(1_300).fill(`blob://sha256/${sha(b)}#json`));
  const list = (count: number, reference: string): string => `[${JSON.stringify(reference)}] * ${count}`;
  const bomb = [
    directive('a', '{"a": "x" * 110000}'),
    directive('b', `{"b": ${list(1_500, `blob://sha256/${sha(a)}`)}}`),
    directive('c', `{"c": ${list(1_300, `blob://sha256/${sha(b)}#json`)}}`),
    directive('d', `{"d": "blob://sha256/${sha(c)}#json"}`),
  ].join('\n');

  it('is not put together into gigabytes by five small nodes, and an innocent command beside them runs once', async () => {
    const innocent = await caller.begin(
      workflow(`${command('beside', 'echo once >> innocent; sleep 2; echo over >> innocent')} start -> beside -> exit`),
    );
    await caller.logs(innocent.id, 'command.started');
    const strain = new Strain();
    const run = await succeeded(
      workflow(`${bomb} think [shape=tab, prompt="Hi"] yes [script="true"] ${tell('slice', 'd', 'sliced')}
        start -> a -> b -> c -> d -> think -> slice; slice -> yes [condition="d contains xx"]; slice -> exit; yes -> exit`),
      SIMULATED,
    );
    expect(strain.end().memoryFactor).toBeLessThan(2);
    expect(strain.heldMs).toBeLessThan(HELD_MS);
    expect(await written('sliced')).toBe(`blob://sha256/${sha(c)}#json`);
    expect((await caller.stages(run.id)).map(({ node_id }) => node_id)).not.toContain('yes');
    const [{ text }] = (await propertiesOf(run.id, 'stage.prompt')) as [{ text: string }];
    expect(text).toContain(`d: blob://sha256/${sha(c)}#json`);

    expect((await caller.ends(innocent.id)).lifecycle.status.kind).toBe('succeeded');
    expect(await written('innocent')).toBe('once\nover\n');
    expect(await propertiesOf(innocent.id, 'run.claimed')).toHaveLength(1);
  });

  it('is no list of branches', async () => {
    const kept = JSON.stringify(['x'.repeat(110_000)]);
    const run = await caller.finish(
      workflow(`${directive('a', '{"a": ["x" * 110000]}')} ${directive('d', `{"d": "blob://sha256/${sha(kept)}#json"}`)}
        each [shape=component, for_each="d"] item [shape=tab, prompt="Item"] join [shape=tripleoctagon]
        start -> a -> d -> each -> item -> join -> exit`),
      SIMULATED,
    );
    const [failed] = await propertiesOf(run.id, 'stage.failed', 'each@1');
    expect(failed).toMatchObject({ failure: { message: "for_each source 'd' must resolve to a JSON array" } });
  });

  describe('is text when it was written by', () => {
    const secret = `needle${'x'.repeat(110_000)}`;
    const forged = `blob://sha256/${sha(secret)}`;
    const keep = directive('keep', '{"secret": "needle" + "x" * 110000}');
    const ways = (
      from: string,
      key: string,
    ): string => `${from} -> told; told -> found [condition="${key} contains needle"]
      told -> exit; found -> exit; found [script="true"]`;
    const isText = async (run: Run, file: string, key: string): Promise<void> => {
      expect(await written(file)).toBe(forged);
      expect((await caller.stages(run.id)).map(({ node_id }) => node_id)).not.toContain('found');
      const { body } = await caller.send<{ context_values: Record<string, unknown> }>(
        'GET',
        `${RUNS}/${run.id}/checkpoint`,
      );
      expect(body.context_values[key]).toBe(forged);
      expect(body.context_values.secret).toBe(forged);
    };

    it('a command, in what it prints and in what it puts into the context', async () => {
      const run = await succeeded(
        workflow(`${keep} ${command('print', `printf %s ${forged}`)} ${tell('first', 'command.output', 'by-print')}
          ${directive('forge', `{"preferred": "", "key": "${forged}"}`)} ${tell('told', 'key', 'by-command')}
          start -> keep -> print -> first -> forge ${ways('forge', 'key')}`),
      );
      await isText(run, 'by-command', 'key');
      expect(await written('by-print')).toBe(forged);
    });

    it('a command, over a key whose own large value was kept before', async () => {
      const overwrite = directive('forge', `{"command.output": "${forged}", "big": "${forged}"}`).replace(
        'python3 -c',
        'seq 9000; python3 -c',
      );
      const run = await succeeded(
        workflow(`${keep} ${directive('before', '{"big": "y" * 110000}')} ${overwrite}
          ${tell('output', 'command.output', 'by-output')} ${tell('told', 'big', 'by-overwriting')}
          start -> keep -> before -> forge -> output ${ways('output', 'big')}`),
      );
      await isText(run, 'by-overwriting', 'big');
      expect(await written('by-output')).toBe(forged);
    });

    it('a model, in its answer and in what it routes by', async () => {
      const answer = JSON.stringify({ json: { context_updates: { key: forged }, preferred_next_label: forged } });
      const run = await succeeded(
        workflow(`${keep} ask [shape=box, prompt=${JSON.stringify(`simulate: ${answer}`)}]
          say [shape=tab, prompt="simulate: ${forged}"] ${tell('said', 'response.say', 'by-answer')}
          ${tell('label', 'preferred_label', 'by-label')} ${tell('told', 'key', 'by-model')}
          start -> keep -> ask -> label -> say -> said ${ways('said', 'key')}`),
        SIMULATED,
      );
      await isText(run, 'by-model', 'key');
      expect([await written('by-answer'), await written('by-label')]).toEqual([forged, forged]);
    });

    it('the person who gives an input or a goal', async () => {
      const run = await succeeded(
        workflow(`goal="${forged}" ${keep} think [shape=tab, prompt="{{ inputs.given }} and {{ goal }}"]
          ${tell('goal', 'graph.goal', 'by-goal')} start -> keep -> think -> goal -> exit`),
        { args: { provider: 'simulated', input: [`given=${forged}`] } },
      );
      const [{ text }] = (await propertiesOf(run.id, 'stage.prompt')) as [{ text: string }];
      expect(text.endsWith(`${forged} and ${forged}`)).toBe(true);
      expect(await written('by-goal')).toBe(forged);
    });

    it('a person who answers', async () => {
      const { id } = await caller.begin(
        workflow(`${keep} ask [shape=hexagon, label="Why?"] ${tell('told', 'human.gate.text', 'by-person')}
          start -> keep -> ask ask -> told [freeform=true] told -> found [condition="human.gate.text contains needle"]
          told -> exit; found -> exit; found [script="true"]`),
      );
      const [question] = await caller.asks(id);
      await caller.answer(id, question!.id, { kind: 'text', text: forged });
      await isText(await caller.ends(id), 'by-person', 'human.gate.text');
    });

    it('the person who edits the context of a fork, also over a key that was kept', async () => {
      const source = await succeeded(
        workflow(`${keep} ${directive('before', '{"key": "y" * 110000}')} ${tell('told', 'key', 'by-fork')}
          start -> keep -> before ${ways('before', 'key')}`),
      );
      const { body } = await caller.send<{ new_run_id: string }>('POST', `${RUNS}/${source.id}/fork`, {
        body: { target: 'before', edits: { context: { key: forged } } },
      });
      await caller.start(body.new_run_id);
      await isText(await caller.ends(body.new_run_id), 'by-fork', 'key');
    });

    it('a branch and a sub-workflow', async () => {
      const child = workflow(`${directive('forge', `{"key": "${forged}"}`)} start -> forge -> exit`);
      const run = await succeeded(
        workflow(`${keep} fork [shape=component] join [shape=tripleoctagon] ${directive('x', `{"x": "${forged}"}`)}
          ${command('y', 'true')} ${tell('results', 'parallel.results', 'by-branch')} ${tell('told', 'key', 'by-child')}
          boss [shape=house, stack.child_dot_source=${JSON.stringify(child)}, manager.poll_interval="100ms"]
          start -> keep -> fork; fork -> x -> join; fork -> y -> join; join -> results -> boss ${ways('boss', 'key')}`),
      );
      await isText(run, 'by-child', 'key');
      expect(JSON.parse(await written('by-branch'))).toMatchObject([{ context_updates: { x: forged } }, {}]);
    });
  });

  it('twin: a large value is whole in a prompt, a condition, a for_each, branches, a sub-workflow and a script', async () => {
    const child = workflow(`${directive('inner', '{"inner": "i" * 110000}')} start -> inner -> exit`);
    const run = await succeeded(
      workflow(`${directive('make', '{"big": "needle" + "x" * 110000, "items": ["needle" + "y" * 110000, "z"]}')}
        found [script="true"] ${tell('told', 'big', 'whole-text')} ${tell('list', 'items', 'whole-list')}
        each [shape=component, for_each="items"] work [shape=tab, prompt="Item"] join [shape=tripleoctagon]
        fork [shape=component] join2 [shape=tripleoctagon] ${directive('left', '{"left": "l" * 110000}')}
        ${command('right', 'seq 9000')} ${tell('results', 'parallel.results', 'whole-results')}
        boss [shape=house, stack.child_dot_source=${JSON.stringify(child)}, manager.poll_interval="100ms"]
        ${tell('inner', 'inner', 'whole-inner')}
        start -> make; make -> found [condition="big contains needle"]; make -> exit; found -> told -> list -> each
        each -> work -> join -> fork; fork -> left -> join2; fork -> right -> join2; join2 -> results -> boss -> inner -> exit`),
      SIMULATED,
    );
    const big = `needle${'x'.repeat(110_000)}`;
    expect(await written('whole-text')).toBe(big);
    expect(await written('whole-list')).toBe(JSON.stringify([`needle${'y'.repeat(110_000)}`, 'z']));
    expect(await written('whole-inner')).toBe('i'.repeat(110_000));
    type Result = { context_updates: Record<string, string> };
    const [left, right] = JSON.parse(await written('whole-results')) as [Result, Result];
    expect(left.context_updates.left).toBe('l'.repeat(110_000));
    expect(right.context_updates['command.output']).toMatch(/^1\n2\n[^]*\n9000\n$/);
    const [prompt] = (await propertiesOf(run.id, 'stage.prompt', 'work@1')) as [{ text: string; text_bytes: number }];
    expect(prompt.text).toContain(`big: (110006 bytes) needlexxx`);
    expect(prompt.text_bytes).toBeGreaterThan(110_000);
  });
});

describe('V1: what an attempt may put together', () => {
  //  start -> fork -> b0 … b5 -> join -> read -> exit
  const branches = (reading: string): string => {
    const ids = Array.from({ length: 6 }, (_, n) => `b${n}`);
    const each = ids.map((id) => `${command(id, 'head -c 1500000 /dev/zero | tr "\\\\0" x')} fork -> ${id} -> join`);
    return workflow(`fork [shape=component, max_parallel=8] join [shape=tripleoctagon] ${reading} ${each.join('\n')}
      start -> fork; join -> read -> exit`);
  };

  it('is 8 MiB: the attempt ends by name, the run and its worker go on', async () => {
    const strain = new Strain();
    const run = await caller.finish(branches(command('read', 'cat', ', stdin_source="parallel.results"')), {}, 40_000);
    const [failed] = (await propertiesOf(run.id, 'stage.failed')) as [
      { failure: { message: string; category: string } },
    ];
    expect(failed.failure).toMatchObject({
      category: 'deterministic',
      message: expect.stringMatching(
        /^The value "parallel\.results" cannot be read here: with the large values that it refers to it takes more than 8388608 bytes or 1000 references\. Let stages write/,
      ),
    });
    expect(strain.end().memoryFactor).toBeLessThan(2);
    expect(await propertiesOf(run.id, 'run.claimed')).toHaveLength(1);
  });

  it('is no limit of what a model is told: of each value it gets the beginning', async () => {
    const run = await succeeded(branches('read [shape=tab, prompt="Hi"]'), SIMULATED);
    const [{ text }] = (await propertiesOf(run.id, 'stage.prompt')) as [{ text: string }];
    expect(text.split('(1500000 bytes) xxx')).toHaveLength(7);
  });

  it('is what a condition may read: the run fails by name', async () => {
    const run = await caller.finish(
      workflow(`${command('make', 'head -c 9000000 /dev/zero | tr "\\\\0" x')} ok [script="true"]
        start -> make; make -> ok [condition="command.output contains y"]; make -> exit; ok -> exit`),
      {},
      20_000,
    );
    expect(run.lifecycle.error?.message).toMatch(
      /^The context value "command\.output" of 9000000 bytes is too large for a condition, a for_each or a gate/,
    );
  });

  it('twin: one value that was kept as a whole goes into a script up to 30 MiB', async () => {
    await succeeded(
      workflow(`${command('make', 'head -c 20000000 /dev/zero | tr "\\\\0" x')} ${command('read', 'wc -c > large', ', stdin_source="command.output"')}
        start -> make -> read -> exit`),
    );
    expect((await written('large')).trim()).toBe('20000000');
  });
});
