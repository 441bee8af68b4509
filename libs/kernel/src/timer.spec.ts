import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { callAfter, TimeLimit } from './timer.js';

const DAY_MS = 86_400_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('callAfter', () => {
  it.each([0, 1.5, 1_000, 24 * DAY_MS, 25 * DAY_MS, 49.8 * DAY_MS, 60 * DAY_MS, 365 * DAY_MS])(
    'calls back after %d ms and not before',
    (ms) => {
      const due = jest.fn();
      callAfter(ms, due);
      if (ms > 2) jest.advanceTimersByTime(ms - 2);
      expect(due).toHaveBeenCalledTimes(0);
      jest.advanceTimersByTime(4);
      expect(due).toHaveBeenCalledTimes(1);
    },
  );

  it('does not call back once it is called off, in whichever part of a long time', () => {
    const due = jest.fn();
    const callOff = callAfter(60 * DAY_MS, due);
    jest.advanceTimersByTime(30 * DAY_MS);
    callOff();
    jest.advanceTimersByTime(60 * DAY_MS);
    expect(due).not.toHaveBeenCalled();
  });
});

describe('A time limit', () => {
  it.each([1.5, 25 * DAY_MS, 60 * DAY_MS])('aborts after %d ms', (ms) => {
    const { signal } = new TimeLimit(ms);
    jest.advanceTimersByTime(ms - 1);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(2);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('does not abort once it has ended', () => {
    const limit = new TimeLimit(1_000);
    limit.end();
    jest.advanceTimersByTime(2_000);
    expect(limit.signal.aborted).toBe(false);
  });
});
