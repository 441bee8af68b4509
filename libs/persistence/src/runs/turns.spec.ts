import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('Turns', () => {
  it('come one after the other for a key, and beside each other for different keys', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const work = (name: string, ms: number) => async () => {
      seen.push(`${name} begins`);
      await sleep(ms);
      seen.push(`${name} ends`);
      return name;
    };
    const done = Promise.all([
      turns.take('a', work('a1', 20)),
      turns.take('a', work('a2', 1)),
      turns.take('b', work('b1', 5)),
    ]);
    expect(await done).toEqual(['a1', 'a2', 'b1']);
    expect(seen).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
  });

  it('go on after one that failed', async () => {
    const turns = new Turns();
    const failed = turns.take('a', () => Promise.reject(new RangeError('no')));
    const next = turns.take('a', () => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
