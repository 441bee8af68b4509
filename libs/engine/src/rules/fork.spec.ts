import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from '#libs/events';
import { ARun, aRun, fails, faults, ok } from '../../../../test/support/a-run.js';

//        ┌─> a ─┐
// fork ──┼─> b ─┼─> join -> exit
//        └─> c ─┘
const FORK = `fork [shape=component, max_parallel=2] join [shape=diamond]
  start -> fork; fork -> a -> join; fork -> b -> join; fork -> c -> join; join -> exit`;

/** The events about branches, and the stages that began, in their order. */
function story({ log }: ARun): string[] {
  return log.flatMap((event): string[] => {
    switch (event.event) {
      case 'parallel.branch.started':
        return [`${event.cursor_id} begins`];
      case 'parallel.branch.completed':
        return [`${event.cursor_id} ${event.properties.status}`];
      case 'stage.started':
        return event.cursor_id === undefined ? [] : [`${event.stage_id} on ${event.cursor_id}`];
      default:
        return [];
    }
  });
}

const results = (run: ARun) => run.walk.lookup('parallel.results');

describe('a fork', () => {
  it('walks a branch for every edge, as many at once as it allows, and goes on at the join', () => {
    const run = aRun(FORK).play();
    expect(story(run)).toEqual([
      'fork@1:0 begins',
      'fork@1:1 begins',
      'a@1 on fork@1:0',
      'b@1 on fork@1:1',
      'fork@1:0 succeeded',
      'fork@1:2 begins',
      'c@1 on fork@1:2',
      'fork@1:1 succeeded',
      'fork@1:2 succeeded',
    ]);
    expect(run.path).toEqual(['start@1', 'fork@1', 'a@1', 'b@1', 'c@1', 'join@1', 'exit@1']);
    expect(run.end).toBe('run.completed: completed');
  });

  it('asks for the stages of its branches at once', () => {
    const run = aRun(FORK).at('a');
    expect(run.last?.work.map(({ stage, path }) => [stage.id, path])).toEqual([
      ['a@1', 'fork@1:0'],
      ['b@1', 'fork@1:1'],
    ]);
  });

  it('says of each event on which branch it happened', () => {
    const { log } = aRun(FORK).play();
    expect(log.find(({ stage_id }) => stage_id === 'b@1')).toMatchObject({
      cursor_id: 'fork@1:1',
      parallel_group_id: 'fork@1',
      parallel_branch_id: 'fork@1:1',
    });
    expect(log.find(({ event }) => event === 'parallel.completed')).toMatchObject({
      stage_id: 'fork@1',
      properties: { visit: 1, success_count: 3, failure_count: 0 },
    });
  });

  it.each([
    ['all do well', {}, 'succeeded', 'run.completed: completed'],
    ['one fails', { b: fails() }, 'partially_succeeded', 'run.completed: completed'],
    [
      'all fail',
      { a: fails(), b: fails('exit 4'), c: fails('exit 5') },
      'failed',
      'run.failed: workflow_error, stage fork failed with no outgoing fail edge: All parallel branches failed: stage a: Script failed with exit code: 3',
    ],
  ] as const)('when %#: %s', (_, script, status, end) => {
    const run = aRun(FORK).play(script);
    expect(run.walk.state.outcomes.fork).toBe(status);
    expect(run.end).toBe(end);
  });

  it('follows an edge with a condition after all have failed', () => {
    const run = aRun(`${FORK}; fork -> rescue [condition="outcome=failed"]; rescue -> join`).play({
      a: fails(),
      b: fails(),
      c: fails(),
    });
    expect(run.path).toContain('rescue@1');
  });
});

// fork -> inner -> (a, b) -> in_join -> join ; fork -> c -> join
const NESTED = `fork [shape=component] inner [shape=component] in_join [shape=diamond] join [shape=diamond]
  start -> fork; fork -> inner; inner -> a -> in_join; inner -> b -> in_join; in_join -> join; fork -> c -> join; join -> exit`;

describe('a branch', () => {
  // fork -> a -> a2 -> join ; fork -> b -> join
  const PATHS = `fork [shape=component] join [shape=diamond]
    start -> fork; fork -> a -> a2 -> join; fork -> b -> join; join -> after -> exit`;

  it('is a path of its own up to the join', () => {
    const run = aRun(PATHS).play();
    expect(run.path).toEqual(['start@1', 'fork@1', 'a@1', 'b@1', 'a2@1', 'join@1', 'after@1', 'exit@1']);
  });

  it('sees what was written before the fork, and writes for itself only', () => {
    const run = aRun(`before; ${PATHS.replace('start -> fork', 'start -> before -> fork')}`).at('before');
    run.ends(ok({ contextUpdates: { shared: 1 } }));
    run.at('a');
    run.ends(ok({ contextUpdates: { mine: 'a', 'internal.x': 1 } }));
    const cursor = run.walk.on('fork@1:0', () => ({
      shared: run.walk.lookup('shared'),
      mine: run.walk.lookup('mine'),
    }));
    expect(cursor).toEqual({ shared: 1, mine: 'a' });
    expect(run.walk.on('fork@1:1', () => run.walk.lookup('mine'))).toBeUndefined();
    run.at('after');
    expect(run.walk.lookup('mine')).toBeUndefined();
    expect(results(run)).toEqual([
      { id: 'a', index: 0, status: 'succeeded', context_updates: { mine: 'a' } },
      { id: 'b', index: 1, status: 'succeeded', context_updates: {} },
    ]);
    expect(run.log.find(({ event }) => event === 'parallel.completed')?.properties).toMatchObject({
      results: [
        { id: 'a', index: 0, status: 'succeeded', context_updates: { mine: 'a' } },
        { id: 'b', index: 1, status: 'succeeded' },
      ],
    });
    expect(run.walk.lookup('parallel.branch_count')).toBe(2);
  });

  it('ends as failed where its failure has no way on, and the others go on', () => {
    const run = aRun(NESTED).play({ a: fails(), b: fails('exit 4') });
    expect(story(run)).toContain('fork@1:0 failed');
    expect(run.path).toContain('c@1');
    expect(run.walk.state.outcomes.fork).toBe('partially_succeeded');
    expect(run.end).toBe('run.completed: completed');
  });

  it('rests between two attempts without holding a slot', () => {
    const one = FORK.replace('max_parallel=2', 'max_parallel=1').replace('join [', 'a [max_retries=1] join [');
    const run = aRun(one).play({ a: [faults(), ok()] });
    expect(story(run).slice(0, 4)).toEqual([
      'fork@1:0 begins',
      'a@1 on fork@1:0',
      'fork@1:1 begins',
      'b@1 on fork@1:1',
    ]);
    expect(run.end).toBe('run.completed: completed');
  });

  it('is taken over like any other path', () => {
    const run = aRun(FORK).at('a');
    const next = run.takenOver();
    next.advance();
    expect(next.last?.work.map(({ stage }) => [stage.id, stage.lostAttemptIds.length])).toEqual([
      ['a@1', 1],
      ['b@1', 1],
    ]);
    expect(next.play().end).toBe('run.completed: completed');
  });

  it('forks again', () => {
    const run = aRun(NESTED);
    run.play();
    expect(run.end).toBe('run.completed: completed');
    expect(story(run)).toContain('a@1 on inner@1:0');
    expect(run.walk.state.cursors).toEqual({ main: expect.anything() });
  });

  it('is closed with the run that fails in it', () => {
    const run = aRun(`${FORK} a -> a; a [max_visits=1]`).at('a');
    run.take(run.walk.cancel());
    expect(run.log.slice(-4).map(({ event, stage_id }) => `${event} ${stage_id ?? ''}`)).toEqual([
      'stage.failed b@1',
      'stage.failed a@1',
      'stage.failed fork@1',
      'run.failed ',
    ]);
  });
});

describe('for_each', () => {
  // start -> make -> each => review (one per item) -> join -> exit
  const EACH = `each [shape=component, for_each="items"] join [shape=tripleoctagon] make;
    start -> make -> each -> review -> join -> exit`;
  const making = (items: unknown): ARun => {
    const run = aRun(EACH, { models: ['review'] }).at('make');
    run.ends(ok({ contextUpdates: { items: items as never } }));
    return run;
  };

  it('walks a branch for every item, named after it', () => {
    const run = making([{ name: 'one' }, { label: 'two' }, 3]).play();
    const started = run.log.flatMap((event) => (event.event === 'parallel.branch.started' ? [event.properties] : []));
    expect(started).toEqual([
      { index: 0, item_label: 'one' },
      { index: 1, item_label: 'two' },
      { index: 2, item_label: '2' },
    ]);
    expect(run.path.filter((id) => id.startsWith('review'))).toEqual(['review@1', 'review@2', 'review@3']);
    expect(run.end).toBe('run.completed: completed');
  });

  it('gives each stage its item', () => {
    const run = making(['x', 'y']).at('review');
    expect(run.last?.work.map(({ item }) => item)).toEqual([
      { value: 'x', label: '0', index: 0 },
      { value: 'y', label: '1', index: 1 },
    ]);
  });

  it('reads a list that was kept elsewhere, or written as text', () => {
    expect(making('["x"]').play().path).toContain('review@1');
  });

  it('has nothing to do for an empty list', () => {
    const run = making([]).play();
    expect(run.walk.state.outcomes.each).toBe('succeeded');
    expect(run.path).toContain('join@1');
  });

  it.each([
    ['no list', { a: 1 }, "for_each source 'items' must resolve to a JSON array"],
    [
      'one that is too deep',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      "for_each source 'items' is nested deeper than 64 levels",
    ],
    [
      'too many',
      Array.from({ length: 1_001 }, () => 1),
      "for_each source 'items' has 1001 items; at most 1000 are allowed",
    ],
  ])('fails before any branch for %s', (_, items, message) => {
    const run = making(items).play();
    expect(run.log.find(({ event }) => event === 'stage.failed')?.properties).toMatchObject({ failure: { message } });
    expect(story(run)).toEqual([]);
  });

  it('fails for a source that nobody wrote', () => {
    const run = aRun(EACH, { models: ['review'] }).play();
    expect(run.log.find(({ event }) => event === 'stage.failed')?.properties).toMatchObject({
      failure: { message: "for_each source 'items' was not found in workflow context", category: 'deterministic' },
    });
  });

  it('tells of a thousand branches with long names in one event, and of each by its whole name', () => {
    const name = (n: number): string => `${n} ${'é'.repeat(190)}`;
    const run = making(Array.from({ length: 1_000 }, (_, n) => ({ name: name(n) }))).play();
    const completed = run.log.find(({ event }) => event === 'parallel.completed')!;
    expect(Buffer.byteLength(encodeEvent(run.definition.runId, completed).body)).toBeLessThan(220 * 1024);
    const results = run.walk.lookup('parallel.results') as { item_label: string }[];
    expect(results.map(({ item_label }) => item_label)).toEqual(results.map((_, n) => name(n)));
    expect(results).toHaveLength(1_000);
    const folded = new ARun(run.definition, run.log, 2);
    expect(folded.walk.state).toEqual(run.walk.state);
  });

  it('leaves out of the event what branches wrote that it has no room for, and of the context nothing', () => {
    const value = (index: number): string => (index === 2 ? 'small' : 'x'.repeat(90 * 1024));
    const run = making([0, 1, 2, 3]).play(({ node, execution }) =>
      node === 'review' ? ok({ contextUpdates: { review: value(execution - 1) } }) : ok(),
    );
    const completed = run.log.find((event) => event.event === 'parallel.completed')!;
    expect(Buffer.byteLength(encodeEvent(run.definition.runId, completed).body)).toBeLessThan(220 * 1024);
    expect(completed.properties).toMatchObject({
      results: [{ index: 0 }, { index: 1 }, { index: 2, context_updates: { review: 'small' } }, { index: 3 }],
    });
    expect(results(run)).toMatchObject([0, 1, 2, 3].map((index) => ({ context_updates: { review: value(index) } })));
    expect(new ARun(run.definition, run.log, 2).walk.state).toEqual(run.walk.state);
  });

  it('trips no visit limit and no circuit breaker, however many items there are', () => {
    const run = making(Array.from({ length: 1_000 }, (_, n) => n)).play({ review: fails('always the same') });
    expect(run.path.filter((id) => id.startsWith('review'))).toHaveLength(1_000);
    expect(run.walk.state.outcomes.each).toBe('failed');
  });
});
