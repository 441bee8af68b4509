import { describe, expect, it } from '@jest/globals';
import { stamp } from '#libs/events';
import type { Json } from '#libs/kernel';
import { aRun, faults, ok, type ARun } from '../../../../test/support/a-run.js';
import { contextValue, wholeContext } from './context.js';

function valueOf({ definition, walk: { state } }: ARun, key: string, path = 'main'): Json | undefined {
  return contextValue(definition, state, state.cursors[path]!, key);
}

describe('internal.retry_count', () => {
  // start -> a -> b / c -> exit
  const RETRIED = `a [max_retries=2] start -> a; a -> b [condition="internal.retry_count.a = 1"]; a -> c; b -> exit; c -> exit`;

  it.each([
    ['0 after a first attempt that went well', [ok()], 'c@1', 0],
    ['1 after one retry', [faults(), ok()], 'b@1', 1],
    ['counted where all attempts failed, too', [faults(), faults(), faults()], 'c@1', 2],
  ])('is %s', (_, attempts, next, count) => {
    const run = aRun(RETRIED).play({ a: attempts });
    expect(run.path).toContain(next);
    expect(valueOf(run, 'internal.retry_count.a')).toBe(count);
    expect(valueOf(run, 'internal.retry_count.nowhere')).toBeUndefined();
  });

  it('is that of the last visit, and forgotten by a loop restart', () => {
    const run = aRun(`a [max_retries=2] start -> a -> b; b -> a [condition="context.internal.node_visit_count = 1"]
      b -> a [condition="context.internal.node_visit_count = 2", loop_restart=true]; b -> exit`).at('b', {
      a: [faults(), ok()],
    });
    expect(valueOf(run, 'internal.retry_count.a')).toBe(1);
    run.ends(ok());
    run.ends(ok());
    expect(valueOf(run, 'internal.retry_count.a')).toBe(0);
    run.ends(ok());
    expect([run.open?.id, valueOf(run, 'internal.retry_count.a')]).toEqual(['a@3', undefined]);
  });

  it('stays in its branch, and is the author’s name in a sub-workflow', () => {
    const child = `digraph C { start; exit; node [shape=parallelogram, script=x]; work [max_retries=1]; more
      start -> work; work -> more [condition="internal.retry_count.work = 1"]; work -> exit; more -> exit }`;
    const run = aRun(`fork [shape=component] join [shape=diamond] a [max_retries=1]
      boss [shape=house, script="", stack.child_dot_source="${child.replace(/"/g, '\\"')}"]
      start -> fork; fork -> a -> a2 -> join; fork -> b -> join; join -> boss -> exit`);
    run.at('a2', { a: [faults(), ok()] });
    expect(valueOf(run, 'internal.retry_count.a', 'fork@1:0')).toBe(1);
    run.at('boss.work');
    expect(valueOf(run, 'internal.retry_count.a')).toBeUndefined();
    expect(run.play({ 'boss.work': [faults(), ok()] }).path).toContain('boss.more@1');
  });
});

describe('what a stage is told', () => {
  const models = ['one', 'two'];

  it('stands in the context, also where no model is asked', () => {
    const run = aRun(
      `one [fidelity=full, thread_id=t] two [fidelity="summary:low"] start -> one -> work -> two -> exit`,
      { models },
    ).at('one');
    const seen = ['internal.fidelity', 'internal.thread_id', 'thread.t.current_node'];
    const shown = () => seen.map((key) => valueOf(run, key));
    expect(shown()).toEqual(['full', 't', 'one']);
    run.ends(ok());
    expect(shown()).toEqual(['compact', null, 'one']);
    run.ends(ok());
    expect(shown()).toEqual(['summary:low', null, 'one']);
  });

  it('decides the way', () => {
    const ways = `a [fidelity=full, thread_id=t] start -> a; a -> b [condition="internal.thread_id = t && internal.fidelity = full"]
      a -> c; b -> exit; c -> exit`;
    expect(aRun(ways).play().path).toContain('b@1');
    expect(aRun(ways.replace('fidelity=full, ', '')).play().path).toContain('c@1');
  });

  it('is of the last node of each conversation', () => {
    const run = aRun('default_fidelity=full default_thread=all start -> a -> b -> c; c -> exit [thread_id=other]').at(
      'c',
    );
    expect(valueOf(run, 'thread.all.current_node')).toBe('c');
    expect(valueOf(run, 'thread.other.current_node')).toBeUndefined();
  });

  it('is no conversation in a branch', () => {
    const run = aRun(`default_fidelity=full default_thread=t fork [shape=component] join [shape=diamond]
      start -> fork; fork -> a -> join; fork -> b -> join; join -> exit`).at('a');
    expect(valueOf(run, 'internal.thread_id', 'fork@1:0')).toBeNull();
    expect(valueOf(run, 'internal.fidelity', 'fork@1:0')).toBe('summary:high');
    expect(valueOf(run, 'internal.thread_id')).toBe('t');
  });
});

describe('internal.work_dir', () => {
  it('is where the commands of the run work, once it has a sandbox', () => {
    const run = aRun('start -> a -> exit').at('a');
    expect(valueOf(run, 'internal.work_dir')).toBeUndefined();
    const properties = { working_directory: '/work', provider: 'local', id: 's' };
    run.walk.hear(stamp({ event: 'sandbox.initialized', properties }, run.now));
    expect(valueOf(run, 'internal.work_dir')).toBe('/work');
  });
});

describe('the whole context', () => {
  it('is what the graph declares, what stages wrote and what the engine knows', () => {
    const run = aRun('tier=gold a [fidelity=full, thread_id=t] start -> a -> b -> exit').at('a');
    const failure = { message: 'no', category: 'deterministic' } as const;
    run.ends(ok({ status: 'failed', failure, contextUpdates: { x: 1 } }));
    const { definition, walk } = run;
    expect(wholeContext(definition, walk.state, walk.cursor)).toEqual({
      'graph.goal': '',
      'graph.tier': 'gold',
      'internal.run_id': definition.runId,
      'internal.retry_count.start': 0,
      'internal.retry_count.a': 0,
      'internal.fidelity': 'compact',
      'internal.thread_id': null,
      'internal.node_visit_count': 1,
      'thread.t.current_node': 'a',
      current_node: 'b',
      outcome: 'failed',
      failure_class: 'deterministic',
      failure_signature: 'a|deterministic|no',
      x: 1,
    });
  });
});
