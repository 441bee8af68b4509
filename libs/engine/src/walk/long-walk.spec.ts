import { describe, expect, it } from '@jest/globals';
import { aRun, ok, type ARun } from '../../../../test/support/a-run.js';
import { growth, IN_PROPORTION } from '../../../../test/support/growth.js';

/** start -> work -> d1 -> d2 -> … -> dn -> exit, every `d` a diamond */
function diamonds(count: number): ARun {
  const names = Array.from({ length: count }, (_, n) => `d${n + 1}`);
  return aRun(`work; node [shape=diamond, script=""] start -> work -> ${names.join(' -> ')} -> exit`);
}

describe('a long walk without work', () => {
  it('is given in pieces, each of them an append of bounded size', () => {
    const run = diamonds(200).at('work');
    run.take(run.walk.finish('main', 'work@1', ok()));
    expect(run.last?.more).toBe(true);
    while (run.last?.more) run.take(run.walk.advance());

    expect(run.end).toBe('run.completed: completed');
    expect(run.path).toHaveLength(203);
    expect(Math.max(...run.appends.map(({ length }) => length))).toBeLessThan(300);
  });

  it('never parts an outcome from its edge and its checkpoint', () => {
    const run = diamonds(200).play();
    for (const append of run.appends) {
      const count = (name: string): number => append.filter(({ event }) => event === name).length;
      const exits = append.filter(({ event, node_id }) => event === 'stage.completed' && node_id === 'exit').length;
      expect(count('edge.selected')).toBe(count('stage.completed') - exits);
      expect(count('checkpoint.completed')).toBe(count('edge.selected'));
    }
  });

  it('goes on wherever a piece ended', () => {
    const whole = diamonds(200).play();
    for (let known = 1; known < whole.appends.length; known++) {
      expect(whole.takenOver(known).play().path).toEqual(whole.path);
    }
  });

  it('takes time in proportion to its length', () => {
    const walking = (length: number) => {
      const long = diamonds(length);
      return () => expect(long.play().path).toHaveLength(length + 3);
    };
    expect(growth(walking, 1_000)).toBeLessThan(IN_PROPORTION);
  });
});
