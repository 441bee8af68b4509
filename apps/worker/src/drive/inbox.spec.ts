import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Inbox } from './inbox.js';

const DAY_MS = 86_400_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('gives what came, in order, and nothing when the time is over', async () => {
  const inbox = new Inbox<string>();
  inbox.put('a');
  inbox.put('b');
  expect([await inbox.take(0), await inbox.take(0)]).toEqual(['a', 'b']);
  const none = inbox.take(1_000);
  jest.advanceTimersByTime(1_000);
  expect(await none).toBeUndefined();
});

it.each([25, 60])('waits for %d days as it waits for one', async (days) => {
  const inbox = new Inbox<string>();
  const next = inbox.take(days * DAY_MS);
  jest.advanceTimersByTime((days - 1) * DAY_MS);
  inbox.put('a');
  expect(await next).toBe('a');
});
