import { afterEach, expect, it, jest } from '@jest/globals';
import { remembered } from './remembered.js';

afterEach(() => void jest.useRealTimers());

it('reads once for all who ask together or soon after, and then again', async () => {
  jest.useFakeTimers();
  let reads = 0;
  const ask = remembered(50, async () => ++reads);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  jest.advanceTimersByTime(49);
  expect(await ask()).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await ask()).toBe(2);
});

it('tells a failure to those who wait for it, and to nobody after', async () => {
  let reads = 0;
  const ask = remembered(10_000, async () => {
    if (++reads === 1) throw new Error('away');
    return reads;
  });
  const waiting = [ask(), ask()];
  for (const reading of waiting) await expect(reading).rejects.toThrow('away');
  expect(await ask()).toBe(2);
});
