import { describe, expect, it } from '@jest/globals';
import { aRun, faults, ok, type ARun } from '../../../../test/support/a-run.js';

// start -> build -> pause -> check -> exit    (build: one retry, pause: a wait)
const GRAPH = 'build [max_retries=1] pause [shape=insulator, duration=1h] start -> build -> pause -> check -> exit';

/** Each position a run can be cancelled in. */
const positions: [string, () => ARun, string[]][] = [
  ['before it began', () => aRun(GRAPH), []],
  ['while a stage is executed', () => aRun(GRAPH).at('build'), ['stage.failed build@1']],
  ['between two attempts', restingAfterAFault, ['stage.failed build@1']],
  ['while it waits', () => aRun(GRAPH).at('pause'), ['stage.failed pause@1']],
  ['between outcome and edge', betweenOutcomeAndEdge, []],
  ['before a node', beforeANode, []],
  ['under another worker', () => aRun(GRAPH).at('check').takenOver(), ['stage.failed check@1']],
];

describe('cancel', () => {
  it.each(positions)('%s ends the run as cancelled, its open stage first', (_, reach, closed) => {
    const run = reach();
    expect(run.take(run.walk.cancel())).toEqual([...closed, 'run.failed: cancelled, The run was cancelled.']);
    expect(run.last).toMatchObject({ events: expect.anything(), work: [], wakeAt: null, more: false, ended: true });
  });

  it.each(positions)('%s is final: time and results change nothing', (_, reach) => {
    const run = reach();
    const stage = run.open?.id ?? 'build@1';
    run.take(run.walk.cancel());
    run.now += 86_400_000;
    expect(run.advance()).toEqual([]);
    expect(run.take(run.walk.finish('main', stage, ok()))).toEqual([]);
    expect(run.take(run.walk.cancel())).toEqual([]);
    expect(run.takenOver().advance()).toEqual([]);
  });

  it('closes the stage as cancelled, not as failed', () => {
    const run = aRun(GRAPH).at('build');
    run.now += 700;
    run.take(run.walk.cancel());
    expect(run.log.at(-2)?.properties).toMatchObject({
      will_retry: false,
      failure: { category: 'canceled', system_actor: 'engine' },
      timing: { wall_time_ms: 700 },
    });
    expect(run.log.at(-1)?.properties).toMatchObject({ timing: { wall_time_ms: 700 } });
  });

  it('of a run whose wall time never began measures nothing', () => {
    const run = aRun(GRAPH);
    run.take(run.walk.cancel());
    expect(run.log.at(-1)?.properties).toMatchObject({ timing: { wall_time_ms: 0 } });
  });
});

function restingAfterAFault(): ARun {
  const run = aRun(GRAPH).at('build');
  run.ends(faults());
  return run;
}

function betweenOutcomeAndEdge(): ARun {
  const run = aRun(GRAPH).at('build');
  run.ends(ok());
  run.appends.push(run.appends.pop()!.slice(0, 1));
  return run.takenOver();
}

function beforeANode(): ARun {
  const run = aRun(GRAPH).at('build');
  run.ends(ok());
  run.appends.push(run.appends.pop()!.slice(0, 3));
  return run.takenOver();
}

// start -> last ; other -> exit
it.each([
  ['partially_succeeded', 'run.completed: partial_success'],
  ['succeeded', 'run.completed: completed'],
  ['skipped', 'run.completed: completed'],
] as const)('a run that ends without an exit after a stage that %s is over: %s', (status, end) => {
  expect(aRun('start -> last; other -> exit').play({ last: ok({ status }) }).end).toBe(end);
});
