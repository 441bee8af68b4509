import { describe, expect, it } from '@jest/globals';
import { aRun, fails, ok } from '../../../../test/support/a-run.js';

// test -> gate ; gate -succeeded-> ship ; gate -> fix    (both -> exit)
const GATE = `gate [shape=diamond] start -> test -> gate
  gate -> ship [condition="outcome=succeeded"]; gate -> fix; ship -> exit; fix -> exit`;

describe('a conditional node', () => {
  it.each([
    ['succeeded', ok(), 'ship@1'],
    ['failed', fails(), 'fix@1'],
    ['partially succeeded', ok({ status: 'partially_succeeded' }), 'fix@1'],
    ['was skipped', ok({ status: 'skipped' }), 'fix@1'],
  ])('lets its edges see that the stage before it %s', (_, result, next) => {
    expect(aRun(GATE).play({ test: result }).path).toContain(next);
  });

  it('is itself recorded as succeeded, in the append of the stage before it', () => {
    const run = aRun(GATE).at('test');
    expect(run.ends(fails())).toEqual([
      'stage.failed test@1',
      'edge.selected test -> gate, unconditional',
      'checkpoint.completed 2',
      'stage.started gate@1',
      'stage.completed gate@1 succeeded',
      'edge.selected gate -> fix, unconditional',
      'checkpoint.completed 3',
      'stage.started fix@1',
    ]);
  });

  // test -> first -> second ; second -deterministic-> fix ; second -> exit
  it('lets failure class and preferred label through, however many follow each other', () => {
    const graph = (condition: string): string => `first [shape=diamond] second [shape=diamond]
      start -> test -> first -> second; second -> fix [condition="${condition}"]; second -> exit; fix -> exit`;
    const failed = graph('context.failure_class=deterministic && context.outcome=failed');
    expect(aRun(failed).play({ test: fails() }).path).toContain('fix@1');
    const labelled = graph('preferred_label=Retry');
    expect(aRun(labelled).play({ test: ok({ preferredLabel: 'Retry' }) }).path).toContain('fix@1');
  });

  it('follows the label that the stage before it prefers', () => {
    const graph = `gate [shape=diamond] start -> ask -> gate
      gate -> a [label=Yes]; gate -> b [label=No]; a -> exit; b -> exit`;
    expect(aRun(graph).play({ ask: ok({ preferredLabel: 'no' }) }).path).toContain('b@1');
  });

  // start -> work -> gate ; gate -third visit-> exit ; gate -> work
  it('knows how often it was visited itself', () => {
    const graph = `gate [shape=diamond] start -> work -> gate
      gate -> exit [condition="context.internal.node_visit_count >= 3 && context.current_node=gate"]; gate -> work`;
    expect(
      aRun(graph)
        .play()
        .path.filter((stage) => stage.startsWith('work')),
    ).toEqual(['work@1', 'work@2', 'work@3']);
  });

  // start -> test -> gate
  it.each([
    [
      fails(),
      'run.failed: workflow_error, stage test failed with no outgoing fail edge: Script failed with exit code: 3',
    ],
    [ok(), 'run.completed: completed'],
  ])('without a way on ends the run as the stage before it ended', (result, end) => {
    expect(aRun('gate [shape=diamond] start -> test -> gate; other -> exit').play({ test: result }).end).toBe(end);
  });
});
