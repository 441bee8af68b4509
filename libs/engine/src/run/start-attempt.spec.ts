import { describe, expect, it } from '@jest/globals';
import { aRun, faults, ok } from '../../../../test/support/a-run.js';

// start -> build -> check -> exit    (build: one retry)
const GRAPH = 'build [max_retries=1] start -> build -> check -> exit';

describe('taking over a stage whose worker was lost', () => {
  it('goes on with the same stage and attempt, under an attempt id of its own', () => {
    const lost = aRun(GRAPH).at('build');
    const next = lost.takenOver();
    next.now += 10_000;
    expect(next.advance()).toEqual(['stage.started build@1']);
    expect(next.last?.work).toEqual([
      {
        path: 'main',
        stage: {
          ...lost.open,
          attemptId: '01J0000000000000000000000A/build@1/1/2',
          epoch: 2,
          startedAt: next.now,
        },
        lostAttemptId: '01J0000000000000000000000A/build@1/1/1',
      },
    ]);
    expect(next.log.at(-1)?.properties).toMatchObject({ attempt: 1, graph_visit: 1, index: 1, epoch: 2 });
  });

  it('asks for it once', () => {
    const next = aRun(GRAPH).at('build').takenOver();
    next.advance();
    expect(next.advance()).toEqual([]);
    expect(next.last?.work).toEqual([]);
  });

  it('counts neither a visit nor an execution nor a retry', () => {
    const lost = aRun(GRAPH).at('build');
    const third = lost.takenOver().at('build').takenOver();
    third.advance();
    expect(third.walk.cursor.visits).toEqual(lost.walk.cursor.visits);
    expect(third.walk.state.executions).toEqual(lost.walk.state.executions);
    expect(third.last?.work[0]?.lostAttemptId).toMatch(/build@1\/1\/2$/);

    expect(third.ends(faults())[0]).toBe('stage.failed build@1, will retry');
    third.sleep();
    expect(third.ends(ok())[0]).toBe('stage.completed build@1 succeeded');
    expect(third.play().path).toEqual(['start@1', 'build@1', 'check@1', 'exit@1']);
  });

  it('keeps a second attempt the second', () => {
    const lost = aRun(GRAPH).at('build');
    lost.ends(faults());
    lost.sleep();
    const next = lost.takenOver();
    expect(next.advance()).toEqual(['stage.started build@1 attempt 2']);
    expect(next.last?.work[0]?.lostAttemptId).toMatch(/build@1\/2\/1$/);
    expect(next.ends(faults())[0]).toBe('stage.failed build@1');
  });

  it('repeats nothing whose outcome is in the log', () => {
    const lost = aRun(GRAPH).at('check');
    const next = lost.takenOver();
    expect(next.advance()).toEqual(['stage.started check@1']);
    expect(next.last?.work.map(({ stage }) => stage.node)).toEqual(['check']);
  });

  it('does not matter to a later stage', () => {
    const next = aRun(GRAPH).at('build').takenOver().at('check');
    expect(next.last?.work[0]).not.toHaveProperty('lostAttemptId');
    expect(next.open).toMatchObject({ attempt: 1, execution: 1, epoch: 2, index: 2 });
  });
});

describe('a dry run', () => {
  // start -> build -> gate ; gate -succeeded-> exit ; gate -> build
  it('walks the graph as it is, and tells handlers only to pretend', () => {
    const graph = `gate [shape=diamond] start -> build -> gate
      gate -> exit [condition="outcome=succeeded"]; gate -> build`;
    const run = aRun(graph, { dryRun: true });
    expect(run.definition.dryRun).toBe(true);
    expect(run.play().path).toEqual(['start@1', 'build@1', 'gate@1', 'exit@1']);
  });
});
