import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Heap } from './heap.js';

describe('a heap', () => {
  it('gives back the least first, whatever was put in before and in between', () => {
    const moves = fc.array(fc.option(fc.nat(20), { freq: 3 }));
    fc.assert(
      fc.property(moves, (all) => {
        const heap = new Heap<number>((a, b) => a < b);
        const held: number[] = [];
        for (const move of all) {
          if (move !== null) {
            heap.put(move);
            held.push(move);
          } else {
            expect(heap.take()).toBe(held.sort((a, b) => a - b).shift());
          }
          expect(heap.least).toBe(held.length === 0 ? undefined : Math.min(...held));
        }
      }),
    );
  });
});
