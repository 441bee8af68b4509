import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRun, definitionOf, fails, ok, ARun } from '../../../../test/support/a-run.js';
import { drawings, sourceOf } from '../../../../test/support/any-workflow.js';
import { AnyWorld } from '../../../../test/support/any-world.js';
import { Agenda } from './agenda.js';
import type { Situation } from './situation.js';
import { growth, IN_PROPORTION } from '../../../../test/support/growth.js';

const SITUATIONS: readonly Situation[] = [
  ...(['node', 'outcome', 'end', 'working', 'waiting', 'backing_off', 'forked', 'supervising'] as const),
  ...(['unasked', 'asked', 'overdue', 'answered'] as const),
];

/** What an agenda says of the paths of a run. */
function told(agenda: Agenda, { walk: { state } }: ARun): unknown {
  const paths = Object.keys(state.cursors);
  const resting = paths.map((path) => [path, agenda.resting(path)]);
  return { counts: SITUATIONS.map((situation) => agenda.count(situation)), resting, nextDue: agenda.nextDue };
}

/** start -> fork -> (b0, b1, … ) -> join -> exit */
function fork(branches: number, attributes = ''): ARun {
  const ids = Array.from({ length: branches }, (_, n) => `b${n}`);
  const ways = ids.map((id) => `fork -> ${id} -> join`).join('; ');
  return aRun(`fork [shape=component, max_parallel=${branches}] join [shape=diamond]
    ${ids.map((id) => `${id} [${attributes}]`).join('; ')} start -> fork; ${ways}; join -> exit`);
}

describe('the agenda of any walk', () => {
  it('knows after every append what one built anew would know', () => {
    fc.assert(
      fc.property(drawings, fc.integer(), (drawing, seed) => {
        const run = new ARun(definitionOf(sourceOf(drawing)), [], 1);
        new AnyWorld(seed, seed % 2 === 0).play(run, () => {
          if (run.walk.state.phase === 'ended') return;
          const anew = new Agenda(run.walk.state);
          anew.fallDue(run.now);
          expect(told(run.walk.agenda, run)).toEqual(told(anew, run));
        });
      }),
      { numRuns: 100 },
    );
  });
});

describe('the paths of a round', () => {
  it('are those that may be able to move, in the order in which they were opened', () => {
    const run = fork(3).at('b0');
    const { agenda } = run.walk;
    expect([...agenda.round()]).toEqual([]);
    run.take(run.walk.note({ event: 'command.started', node_id: 'b2' } as never, 'fork@1:2'));
    run.take(run.walk.note({ event: 'command.started', node_id: 'b0' } as never, 'fork@1:0'));
    expect([...agenda.round()]).toEqual(['main', 'fork@1:0', 'fork@1:2']);
  });

  it('are given again until they are put to sleep', () => {
    const { agenda } = aRun('work').walk;
    expect([...agenda.round()]).toEqual(['main']);
    expect([...agenda.round()]).toEqual(['main']);
    agenda.sleep('main');
    expect([...agenda.round()]).toEqual([]);
  });

  it('are all of them when a pause is over', () => {
    const run = fork(2).at('b0');
    run.walk.hear({ ...run.log[0]!, event: 'run.unpaused', properties: {} });
    expect([...run.walk.agenda.round()]).toEqual(['main', 'fork@1:0', 'fork@1:1']);
  });

  it('hold a branch that is due and has no slot in every round', () => {
    const run = aRun(`fork [shape=component, max_parallel=1] join [shape=diamond]
      a [max_retries=1] start -> fork; fork -> a -> join; fork -> b -> join; join -> exit`);
    run.at('a').ends({ kind: 'error', failure: { message: 'x', category: 'transient_infra' }, retryable: true });
    run.sleep();
    expect(run.working.map(({ path }) => path)).toEqual(['fork@1:1']);
    expect(run.finishes('fork@1:1', ok())).toContain('stage.started a@1 attempt 2');
  });
});

describe('a walk over many branches', () => {
  it('takes time in proportion to them', () => {
    const walking = (branches: number) => {
      const run = fork(branches);
      return () => {
        run.begin();
        for (let n = 0; n < branches; n++) run.walk.finish(`fork@1:${n}`, `b${n}@1`, n % 2 === 0 ? ok() : fails());
        expect(run.walk.state.phase).toBe('ended');
      };
    };
    expect(growth(walking, 500)).toBeLessThan(IN_PROPORTION);
  });
});
