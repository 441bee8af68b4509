import { expect, it } from '@jest/globals';
import { ownTurn } from './own-turn.js';

it('gives everybody who asks a turn of their own, in their order', async () => {
  const seen: string[] = [];
  const ticks = setInterval(() => seen.push('timer'), 0);
  const work = async (name: string): Promise<void> => {
    await ownTurn();
    seen.push(name);
    const end = performance.now() + 5;
    while (performance.now() < end);
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  clearInterval(ticks);
  expect(seen.filter((each) => each !== 'timer')).toEqual(['a', 'b', 'c']);
  for (const [before, after] of [
    ['a', 'b'],
    ['b', 'c'],
  ] as const) {
    expect(seen.slice(seen.indexOf(before), seen.indexOf(after))).toContain('timer');
  }
});
