import { describe, expect, it } from '@jest/globals';
import { aRun, say, type ARun } from '../../../../test/support/a-run.js';

// boss[ start -> fork ; fork -> slow -> join ; fork -> ask -> join ; fork -> inner[ work ] -> join ; join -> exit ]
const INNER = 'digraph I { start; exit; work [shape=parallelogram, script=x]; start -> work -> exit }';
const CHILD = `digraph C {
  start; exit; fork [shape=component]; join [shape=diamond]; slow [shape=parallelogram, script=x]; ask [shape=hexagon]
  inner [shape=house, stack.child_dot_source="${INNER}"]
  start -> fork; fork -> slow -> join; fork -> ask; ask -> join [label=Yes]; fork -> inner -> join; join -> exit
}`;
const quoted = (source: string): string => source.replace(/["\\]/g, '\\$&');
const BOSS = `boss [shape=house, script="", manager.poll_interval=10s, manager.max_cycles=1, max_retries=0,
  stack.child_dot_source="${quoted(CHILD)}"] after; start -> boss -> after -> exit`;

function waiting(): ARun {
  const run = aRun(BOSS).at('boss.slow');
  run.take(run.walk.settle());
  return run;
}

describe('a sub-workflow that is stopped', () => {
  it('says of its stages, its questions and its paths that they are over, innermost first', () => {
    const run = waiting();
    const before = run.log.length;
    run.sleep();
    expect(run.log.slice(before).map(say)).toEqual([
      'interview.interrupted',
      'stage.failed boss.inner.work@1',
      'subgraph.completed',
      'stage.failed boss.inner@1',
      'parallel.branch.completed',
      'stage.failed boss.ask@1',
      'parallel.branch.completed',
      'stage.failed boss.slow@1',
      'parallel.branch.completed',
      'stage.failed boss.fork@1',
      'subgraph.completed',
      'stage.failed boss@1',
      'edge.selected boss -> after, unconditional',
      'checkpoint.completed 2',
      'stage.started after@1',
    ]);
  });

  it('names the question that nobody need answer any more, and why', () => {
    const run = waiting();
    const asked = run.log.find(({ event }) => event === 'interview.started');
    run.sleep();
    expect(run.log.find(({ event }) => event === 'interview.interrupted')).toMatchObject({
      stage_id: 'boss.ask@1',
      actor: { kind: 'system', system_kind: 'engine' },
      properties: {
        question_id: (asked?.properties as { question_id: string }).question_id,
        reason: 'The sub-workflow was stopped: its manager looked at it for the last time.',
        duration_ms: 10_000,
      },
    });
  });

  it('says that people are no longer waited for', () => {
    const run = waiting();
    run.sleep();
    expect(run.last?.unsettled).toBe(true);
    expect(run.take(run.walk.settle())).toEqual(['run.unblocked']);
  });

  it('has the work that was begun stopped', () => {
    const run = waiting();
    run.sleep();
    expect(run.last?.stop).toEqual(['boss.inner.work@1', 'boss.slow@1']);
  });
});

it('work that the same step asked for and took back is never begun', () => {
  // boss[ fork -> slow -> join ; fork -> over -> over … ]: the second branch is over the graph's limit at once
  const child = `digraph C {
    max_node_visits=1; start; exit; fork [shape=component]; join [shape=diamond]; slow [shape=parallelogram, script=x]
    over [shape=diamond]; start -> fork; fork -> slow -> join; fork -> over; over -> over [weight=2]
    over -> join; join -> exit
  }`;
  const run = aRun(`boss [shape=house, script="", max_retries=0, stack.child_dot_source="${child}"] after
    start -> boss -> after -> exit`);
  run.begin();
  expect(run.path).toContain('boss.slow@1');
  expect(run.last?.work.map(({ stage }) => stage.id)).toEqual(['after@1']);
  expect(run.last?.stop).toEqual([]);
});

it('the end of a run says it of its questions and stages only: what else was open is over with it', () => {
  const run = waiting();
  expect(run.take(run.walk.cancel())).toEqual([
    'interview.interrupted',
    'stage.failed boss.inner.work@1',
    'stage.failed boss.inner@1',
    'stage.failed boss.ask@1',
    'stage.failed boss.slow@1',
    'stage.failed boss.fork@1',
    'stage.failed boss@1',
    'run.failed: cancelled, The run was cancelled.',
  ]);
});
