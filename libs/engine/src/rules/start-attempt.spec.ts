import { describe, expect, it } from '@jest/globals';
import { aRun, faults, ok } from '../../../../test/support/a-run.js';

// start -> build -> check -> exit    (build: one retry)
const GRAPH = 'build [max_retries=1] start -> build -> check -> exit';

const attemptOf = (stage: string, attempt: number, epoch: number): string =>
  `01J0000000000000000000000A/${stage}/${attempt}/${epoch}`;

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
          lostAttemptIds: ['01J0000000000000000000000A/build@1/1/1'],
          epoch: 2,
          startedAt: next.now,
        },
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

    expect(third.ends(faults())[0]).toBe('stage.failed build@1, will retry');
    third.sleep();
    expect(third.ends(ok())[0]).toBe('stage.completed build@1 succeeded');
    expect(third.play().path).toEqual(['start@1', 'build@1', 'check@1', 'exit@1']);
  });

  it('remembers every worker that was lost with it, the last one first', () => {
    const third = aRun(GRAPH).at('build').takenOver().at('build').takenOver();
    third.advance();
    expect(third.open?.lostAttemptIds).toEqual([attemptOf('build@1', 1, 2), attemptOf('build@1', 1, 1)]);
    third.ends(faults());
    third.sleep();
    expect(third.open).toMatchObject({ attempt: 2, lostAttemptIds: [] });
  });

  it('forgets the first of very many', () => {
    let run = aRun(GRAPH).at('build');
    for (let lost = 1; lost <= 10; lost++) run = run.takenOver().at('build');
    const lost = [10, 9, 8, 7, 6, 5, 4, 3].map((epoch) => attemptOf('build@1', 1, epoch));
    expect(run.open?.lostAttemptIds).toEqual(lost);
  });

  it('keeps a second attempt the second', () => {
    const lost = aRun(GRAPH).at('build');
    lost.ends(faults());
    lost.sleep();
    const next = lost.takenOver();
    expect(next.advance()).toEqual(['stage.started build@1 attempt 2']);
    expect(next.open?.lostAttemptIds).toEqual([attemptOf('build@1', 2, 1)]);
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
    expect(next.open).toMatchObject({ attempt: 1, lostAttemptIds: [], execution: 1, epoch: 2, index: 2 });
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
