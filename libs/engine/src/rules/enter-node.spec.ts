import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok } from '../../../../test/support/a-run.js';

// fork -> a -> a … -> join ; fork -> b -> join
it('a limit of visits that a node has fails the branch that meets it, and no other', () => {
  const FORKED = `fork [shape=component] join [shape=tripleoctagon] start -> fork; fork -> a; fork -> b -> join
    a -> a [condition="outcome=succeeded"]; a -> join; join -> exit`;
  const run = aRun(`a [max_visits=2] ${FORKED}`).play();
  expect(run.path.filter((stage) => stage.startsWith('a@'))).toEqual(['a@1', 'a@2']);
  const ends = run.log.flatMap(({ event, properties }) => (event === 'parallel.branch.completed' ? [properties] : []));
  expect(ends).toMatchObject([
    {
      index: 0,
      status: 'failed',
      failure: { message: expect.stringContaining('node "a" visited 2 times (node limit 2)') },
    },
    { index: 1, status: 'succeeded' },
  ]);
  expect(run.end).toBe('run.completed: completed');
  expect(aRun(`max_node_visits=2 ${FORKED}`).play().end).toMatch(/^run.failed: .*graph limit 2/);
});

describe('a goal gate', () => {
  // start -> test -> exit    (test: goal gate)
  const GATE = 'test [goal_gate=true] start -> test -> exit';

  it.each([
    ['succeeded', ok()],
    ['partially succeeded', ok({ status: 'partially_succeeded' })],
  ])('lets a run end well when it %s', (_, result) => {
    expect(aRun(GATE).play({ test: result }).end).toBe('run.completed: completed');
  });

  it.each([
    ['failed', fails()],
    ['was skipped', ok({ status: 'skipped' })],
  ])('fails the run when it %s and there is nowhere to go back to', (_, result) => {
    const run = aRun(GATE).at('test');
    expect(run.ends(result).slice(-1)).toEqual([
      expect.stringMatching(/^run.failed: workflow_error, goal gate unsatisfied for node test and no retry target/),
    ]);
    expect(run.path).not.toContain('exit@1');
  });

  // start -> quick -> exit ; never -> exit    (never: goal gate)
  it('is open when it never ran', () => {
    const run = aRun('never [goal_gate=true] start -> quick -> exit; never -> exit').play();
    expect(run.end).toBe('run.failed: workflow_error, goal gate unsatisfied for node never and no retry target');
  });

  // start -> code -> test -> exit    (test: goal gate, back to code)
  it('sends the run back to its retry target, without a checkpoint', () => {
    const run = aRun('test [goal_gate=true, retry_target=code] start -> code -> test -> exit').at('test');
    expect(run.ends(fails())).toEqual([
      'stage.failed test@1',
      'edge.selected test -> exit, unconditional',
      'checkpoint.completed 3',
      'edge.selected exit -> code, retry_target',
      'stage.started code@2',
    ]);
    run.at('test');
    expect(run.ends(ok()).at(-1)).toBe('run.completed: completed');
    expect(run.path).toEqual(['start@1', 'code@1', 'test@1', 'code@2', 'test@2', 'exit@1']);
  });

  it('does not go back to the exit itself', () => {
    const run = aRun('test [goal_gate=true, retry_target=exit] start -> test -> exit').play({ test: fails() });
    expect(run.end).toMatch(/goal gate unsatisfied for node test and no retry target/);
  });

  it('goes back to where the graph says when the node says nothing', () => {
    const run = aRun(`retry_target=code ${GATE}; code -> test`).play({ test: [fails(), ok()] });
    expect(run.path).toEqual(['start@1', 'test@1', 'code@1', 'test@2', 'exit@1']);
  });

  it('counts by its last outcome', () => {
    const graph = 'test [goal_gate=true] start -> test -> more; more -> test [label=again]; more -> exit [weight=1]';
    const run = aRun(graph).play({ test: [ok(), fails()], more: [ok({ preferredLabel: 'again' }), ok()] });
    expect(run.end).toMatch(/goal gate unsatisfied for node test/);
  });

  it('of several, the first by name that is open decides', () => {
    const graph = `b [goal_gate=true, retry_target=x] a [goal_gate=true, retry_target=y]
      start -> b -> a -> exit; x -> exit; y -> exit`;
    const run = aRun(graph).at('b');
    run.ends(fails());
    expect(run.ends(fails())).toContain('edge.selected exit -> y, retry_target');
  });
});

describe('a limit on visits', () => {
  // start -> work -> work …
  const LOOP = 'start -> work -> work; other -> exit';

  it.each([
    ['the node', `work [max_visits=2] ${LOOP}`, 'node'],
    ['the graph', `max_node_visits=2 ${LOOP}`, 'graph'],
    ['the node, which replaces that of the graph', `max_node_visits=9 work [max_visits=2] ${LOOP}`, 'node'],
    ['the node, even where it is more', `max_node_visits=1 work [max_visits=2] start [max_visits=9] ${LOOP}`, 'node'],
  ])('of %s refuses the visit after it', (_, graph, whose) => {
    const run = aRun(graph).play();
    expect(run.path).toEqual(['start@1', 'work@1', 'work@2']);
    expect(run.end).toBe(
      `run.failed: workflow_error, node "work" visited 2 times (${whose} limit 2); run is stuck in a cycle`,
    );
  });

  it('of 0 on a node refuses the first visit', () => {
    expect(aRun(`work [max_visits=0] ${LOOP}`).play().path).toEqual(['start@1']);
  });

  it('counts entries and not attempts', () => {
    const run = aRun(`work [max_visits=1, max_retries=2] start -> work -> exit`).play({
      work: [{ kind: 'error', failure: { message: 'gone', category: 'transient_infra' }, retryable: true }, ok()],
    });
    expect(run.end).toBe('run.completed: completed');
  });

  it('counts the visit a checkpoint belongs to', () => {
    const { log } = aRun(`work [max_visits=2] ${LOOP}`).play();
    const visits = log.flatMap((event) =>
      event.event === 'checkpoint.completed' ? [[event.node_id, event.properties.graph_visit]] : [],
    );
    expect(visits).toEqual([
      ['start', 1],
      ['work', 1],
      ['work', 2],
    ]);
  });

  it('is ten in a dry run of a graph without one', () => {
    const run = aRun(LOOP, { dryRun: true }).play();
    expect(run.end).toMatch(/node "work" visited 10 times \(graph limit 10\)/);
    expect(aRun(`max_node_visits=2 ${LOOP}`, { dryRun: true }).play().end).toMatch(/visited 2 times/);
  });
});

// start -> a -> b -> a …    (a, b: diamonds)
it('ends a circle of decisions that executes nothing', () => {
  const run = aRun('node [shape=diamond] a; b; start -> a -> b -> a; b -> exit [weight=-1]').play();
  expect(run.end).toMatch(/^run.failed: workflow_error, The walk came to "[ab]" after 400 nodes that execute nothing/);
});

// start -> constructor -> toString -> exit
it('takes every name for a name', () => {
  const run = aRun('__proto__ [goal_gate=true] start -> constructor -> toString -> __proto__ -> exit').play();
  expect(run.path).toEqual(['start@1', 'constructor@1', 'toString@1', '__proto__@1', 'exit@1']);
  expect(run.end).toBe('run.completed: completed');
});
