import { expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { AttemptMemory, ValueMemory } from './attempt-memory.js';

const { signal } = new AbortController();

it('is reserved by as many attempts as it is enough for; an attempt that reserves again gives back first', async () => {
  const all = new ValueMemory(400);
  const [one, other] = [new AttemptMemory(all), new AttemptMemory(all)];
  await one.reserve(200, signal);
  let got = '';
  const waits = other.reserve(200, signal).then(() => (got += 'other '));
  const again = one.reserve(250, signal).then(() => (got += 'one '));
  await setImmediate();
  expect(got).toBe('other ');
  other.free();
  await Promise.all([waits, again]);
  expect(got).toBe('other one ');
});

it('has room for the lists of those who hold the rest', async () => {
  const all = new ValueMemory(400);
  const [one, other] = [new AttemptMemory(all), new AttemptMemory(all)];
  await one.reserve(1_000, signal);
  await one.reserveForLists(1_000, signal);
  one.free();
  await other.reserve(300, signal);
  await other.reserveForLists(100, signal);
});

it('is waited for no longer than the attempt may go on', async () => {
  const all = new ValueMemory(4);
  await new AttemptMemory(all).reserve(9, signal);
  const abort = new AbortController();
  const waits = new AttemptMemory(all).reserve(1, abort.signal);
  abort.abort(new Error('cancelled'));
  await expect(waits).rejects.toThrow('cancelled');
});
