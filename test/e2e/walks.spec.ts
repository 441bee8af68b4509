import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, workflow, type Run } from '../support/api-caller.js';
import { specServer } from '../support/spec-server.js';
import { stretched } from '../support/stretched.js';

const server = await specServer();
const { caller } = server;

/** The stages it went through, each with how it ended. */
async function path({ id }: Run): Promise<string[]> {
  return (await caller.stages(id)).map(({ id: stage, status }) => `${stage} ${status}`);
}

describe('routing', () => {
  //  start -> test -> choose -> good -> exit
  //                         \-> bad --/
  const branching = (script: string): string =>
    workflow(`${command('test', script)} ${command('good', 'true')} ${command('bad', 'true')} choose [shape=diamond]
      start -> test -> choose
      choose -> good [condition="outcome=succeeded"]
      choose -> bad
      good -> exit bad -> exit`);

  it.each([
    ['true', 'good@1'],
    ['exit 3', 'bad@1'],
  ])('takes the edge whose condition holds after "%s"', async (script, taken) => {
    const run = await caller.finish(branching(script));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const stages = await path(run);
    expect(stages).toContain(`${taken} succeeded`);
    expect(stages).toHaveLength(5);
  });

  it('follows what a command printed', async () => {
    const source = workflow(`${command('ask', 'echo ready')} ${command('yes', 'true')} ${command('no', 'true')}
      start -> ask
      ask -> yes [condition="context.command.output contains ready"]
      ask -> no
      yes -> exit no -> exit`);
    expect(await path(await caller.finish(source))).toContain('yes@1 succeeded');
  });

  //  start -> build -> exit
  //             \-> report
  it('fails the run when a failed command has no way on', async () => {
    const source = workflow(`${command('build', 'exit 2')} ${command('report', 'echo "no rule" >&2; exit 3')}
      start -> build
      build -> exit [condition="outcome=succeeded"]
      build -> report`);
    const run = await caller.finish(source);
    expect(run.lifecycle.status).toEqual({ kind: 'failed', reason: 'workflow_error' });
    expect(run.lifecycle.error?.message).toBe(
      'stage report failed with no outgoing fail edge; the first to fail was stage build: Script failed with exit code: 2',
    );
    expect(await path(run)).toEqual(['start@1 succeeded', 'build@1 failed', 'report@1 failed']);
    const { properties } = await caller.logs(run.id, 'run.failed');
    expect(JSON.stringify(properties)).toContain('no rule');
  });

  it('goes round in a loop, one execution of the node after the other', async () => {
    const source = workflow(`${command('count', 'echo x >> count; [ $(wc -l < count) -ge 3 ]')}
      start -> count
      count -> exit [condition="outcome=succeeded"]
      count -> count`);
    expect(await path(await caller.finish(source))).toEqual([
      'start@1 succeeded',
      'count@1 failed',
      'count@2 failed',
      'count@3 succeeded',
      'exit@1 succeeded',
    ]);
  });
});

describe('a script that fails and then does not', () => {
  const flaky = (attributes: string) =>
    command('flaky', 'echo >> $RUNYARD_RUN_ID; [ $(wc -l < $RUNYARD_RUN_ID) -ge 2 ]', `, goal_gate=true ${attributes}`);

  it('is tried again where its own node has retries', async () => {
    const run = await caller.finish(workflow(`${flaky(', retry_policy=linear')} start -> flaky -> exit`));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await path(run)).toEqual(['start@1 succeeded', 'flaky@1 succeeded', 'exit@1 succeeded']);
  });

  it('is not tried again where only the graph has some, and says why', async () => {
    const run = await caller.finish(workflow(`default_max_retries=2 ${flaky('')} start -> flaky -> exit`));
    expect(run.lifecycle.status.kind).toBe('failed');
    const failed = await caller.logs(run.id, 'stage.failed', 'flaky@1');
    expect(failed.properties).toMatchObject({
      will_retry: false,
      no_retry_reason: 'a script that exits with a code needs max_retries or retry_policy of its own',
    });
  });
});

describe('an attempt that runs out of time', () => {
  it('is made again, in the same stage', async () => {
    const script = 'echo "$RUNYARD_ATTEMPT_ID" >> tries; [ $(wc -l < tries) -ge 2 ] || sleep 30';
    const run = await caller.finish(
      workflow(`${command('flaky', script, ', timeout=300ms, retry_policy=linear')} start -> flaky -> exit`),
    );
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await path(run)).toEqual(['start@1 succeeded', 'flaky@1 succeeded', 'exit@1 succeeded']);
    const tries = await readFile(join(caller.directory, 'tries'), 'utf8');
    expect(tries).toBe(`${run.id}/flaky@1/1/1\n${run.id}/flaky@1/2/1\n`);
    const retrying = await caller.logs(run.id, 'stage.retrying', 'flaky@1');
    expect(retrying.properties).toMatchObject({ attempt: 2, max_attempts: 3 });
  });

  it('fails the stage when it was the last one', async () => {
    const run = await caller.finish(
      workflow(`${command('slow', 'sleep 30', ', timeout=200ms, goal_gate=true')} start -> slow -> exit`),
    );
    expect(run.lifecycle.status.kind).toBe('failed');
    const failed = await caller.logs(run.id, 'stage.failed', 'slow@1');
    expect(failed.properties).toMatchObject({
      will_retry: false,
      failure: { message: expect.stringContaining('timed out after 200ms') },
    });
  });
});

describe('output', () => {
  const outputOf = async (run: Run): Promise<Record<string, unknown>> =>
    (await caller.logs(run.id, 'command.completed')).properties!;

  it('of more than 8 KiB is cut in the log and whole for the next command', async () => {
    const run = await caller.finish(
      workflow(`${command('much', 'head -c 50000 /dev/zero | tr "\\\\0" x; echo end')}
        ${command('count', 'wc -c > counted', ', stdin_source="command.output"')}
        start -> much -> count -> exit`),
    );
    expect(run.lifecycle.status.kind).toBe('succeeded');
    const { output, output_bytes } = await outputOf(run);
    expect(output_bytes).toBe(50_004);
    expect(String(output)).toHaveLength(8_192);
    expect(String(output)).toMatch(/^x+end\n$/);
    expect(Number(await readFile(join(caller.directory, 'counted'), 'utf8'))).toBe(50_004);
  });

  it('may hold any bytes', async () => {
    const script = `printf 'a\\000b\\377c\\355\\240\\200d'`;
    const run = await caller.finish(workflow(`${command('bytes', script)} start -> bytes -> exit`));
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect((await outputOf(run)).output).toMatch(/^a\uFFFDb\uFFFDc\uFFFD+d$/);
  });
});

describe('a dry run', () => {
  it('walks the graph and executes nothing', async () => {
    const source = workflow(`${command('touch', 'touch executed')} pause [shape=insulator, duration="1h"]
      start -> touch -> pause -> exit`);
    const run = await caller.finish(source, { args: { dry_run: true } });
    expect(run.lifecycle.status.kind).toBe('succeeded');
    expect(await path(run)).toHaveLength(4);
    await expect(readFile(join(caller.directory, 'executed'))).rejects.toThrow('ENOENT');
  });
});

describe('a large graph', () => {
  it('of 10,000 nodes is taken in and walked to its end', async () => {
    const names = Array.from({ length: 9_998 }, (_, i) => `n${i}`);
    const nodes = names.map((name) => `${name}[shape=diamond]`).join('\n');
    const source = workflow(`${nodes}\n start -> ${names.join(' -> ')} -> exit`);
    const body = caller.manifest(source);
    expect(JSON.stringify(body).length).toBeLessThan(2 * 1024 * 1024);
    const began = performance.now();
    const { id, workflow: shown } = await caller.create(source);
    expect(performance.now() - began).toBeLessThan(stretched(5_000));
    expect(shown).toMatchObject({ node_count: 10_000, edge_count: 9_999 });
    await caller.start(id);
    expect((await caller.ends(id, 25_000)).lifecycle.status.kind).toBe('succeeded');
  });
});
