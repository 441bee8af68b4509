import { describe, expect, it } from '@jest/globals';
import type { FailureDetail } from '#libs/events';
import { aRun, fails, ok, type ARun } from '../../../../test/support/a-run.js';

const OUTPUT = 'Script failed with exit code: 2\n\n## output\nok 1\nnot ok 2 - login\n';

function detailOf({ log }: ARun): FailureDetail {
  const last = log.at(-1);
  if (last?.event !== 'run.failed') throw new Error('The run did not fail.');
  return last.properties.failure.detail;
}

describe('a run that ends with a failed stage', () => {
  it('names the stage, what it says and the last line of its output', () => {
    const detail = detailOf(aRun('start -> test; other -> exit').play({ test: fails(OUTPUT) }));
    expect(detail).toMatchObject({
      message: 'stage test failed with no outgoing fail edge: Script failed with exit code: 2: not ok 2 - login',
      causes: [OUTPUT],
    });
  });

  // start -> test -failed-> report ; report has no way on
  it('names the first stage of several that failed one after the other, and keeps the others', () => {
    const ways =
      'gate [shape=diamond] start -> test; test -> gate; gate -> clean [condition="outcome=failed"]; gate -> exit; clean -> report';
    const detail = detailOf(aRun(ways).play({ test: fails(OUTPUT), clean: fails('busy'), report: fails('exit 1') }));
    expect(detail).toMatchObject({
      message:
        'stage report failed with no outgoing fail edge; the first to fail was stage test: Script failed with exit code: 2: not ok 2 - login',
      causes: ['exit 1', 'stage clean: busy', 'stage test: Script failed with exit code: 2: not ok 2 - login'],
    });
  });

  it('does not blame a failure that was got over', () => {
    const run = aRun('start -> lint -> build -> test; other -> exit').play({
      lint: fails('style'),
      test: fails('exit 1'),
    });
    expect(detailOf(run)).toMatchObject({
      message: 'stage test failed with no outgoing fail edge: exit 1',
      causes: ['exit 1'],
    });
  });

  it('names what failed in the branches, and in a sub-workflow', () => {
    const child =
      'digraph C { start; exit; work [shape=parallelogram, script=x]; start -> work; other [shape=diamond]; other -> exit }';
    const forked = aRun(
      `fork [shape=component] join [shape=diamond] start -> fork; fork -> a -> a2 -> join; fork -> b -> join; join -> exit`,
    );
    forked.play({ a: fails(OUTPUT), a2: fails('late'), b: fails('no') });
    expect(detailOf(forked)).toMatchObject({
      message:
        'stage fork failed with no outgoing fail edge: All parallel branches failed: stage a: Script failed with exit code: 2: not ok 2 - login',
      causes: [
        'All parallel branches failed',
        'stage a: Script failed with exit code: 2: not ok 2 - login',
        'stage b: no',
      ],
    });
    const boss = aRun(`boss [shape=house, script="", stack.child_dot_source="${child}"] start -> boss; other -> exit`);
    expect(detailOf(boss.play({ 'boss.work': fails('disk full') })).message).toBe(
      'stage boss failed with no outgoing fail edge: stage boss.work failed with no outgoing fail edge: disk full',
    );
  });

  it('says why a goal gate is not satisfied', () => {
    const gated = 'test [goal_gate=true] start -> test -> report -> exit';
    expect(detailOf(aRun(gated).play({ test: fails(OUTPUT), report: ok() }))).toMatchObject({
      message:
        'goal gate unsatisfied for node test and no retry target: stage test: Script failed with exit code: 2: not ok 2 - login',
      causes: ['stage test: Script failed with exit code: 2: not ok 2 - login'],
    });
  });
});
