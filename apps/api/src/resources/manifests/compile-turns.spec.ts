import { describe, expect, it } from '@jest/globals';
import { CompileTurns } from './compile-turns.js';

const manifest = (characters: number) => ({ workflows: { 'a.dot': { source: 'x'.repeat(characters) } } });

/** Counts the turns of the event loop. */
function loop(): { turns: number; stop(): void } {
  const counted = { turns: 0, stop: () => clearImmediate(next) };
  const count = (): void => {
    counted.turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counted;
}

describe('the turns of manifests', () => {
  it('are one each for large ones, and none for small ones', async () => {
    const turns = new CompileTurns();
    const counted = loop();
    const seen: [string, number][] = [];
    const compile = async (name: string, characters: number): Promise<void> => {
      await turns.wait(manifest(characters));
      seen.push([name, counted.turns]);
    };
    await Promise.all([compile('a', 20_000), compile('b', 20_000), compile('small', 10_000), compile('c', 20_000)]);
    counted.stop();
    expect(seen.map(([name]) => name)).toEqual(['small', 'a', 'b', 'c']);
    const [small, ...large] = seen.map(([, turn]) => turn);
    expect(small).toBe(0);
    expect(new Set(large).size).toBe(3);
  });
});
