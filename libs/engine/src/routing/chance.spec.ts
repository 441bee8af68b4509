import { describe, expect, it } from '@jest/globals';
import { chanceOf } from './chance.js';

describe('the chance of a stage', () => {
  it('is the same for whoever asks, and another one for another stage or run', () => {
    expect(chanceOf('run', 'pick@1')).toBe(chanceOf('run', 'pick@1'));
    expect(new Set([chanceOf('run', 'pick@1'), chanceOf('run', 'pick@2'), chanceOf('other', 'pick@1')]).size).toBe(3);
  });

  it('is even', () => {
    const below = (limit: number) =>
      Array.from({ length: 10_000 }, (_, n) => chanceOf('run', `pick@${n}`)).filter((chance) => chance < limit).length;
    expect(below(0.5)).toBeGreaterThan(4_800);
    expect(below(0.5)).toBeLessThan(5_200);
    expect(below(0.1)).toBeGreaterThan(850);
    expect(below(1)).toBe(10_000);
  });
});
