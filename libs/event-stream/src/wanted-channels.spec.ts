import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { WantedChannels } from './wanted-channels.js';

let changes: string[];
let channels: WantedChannels;
beforeEach(() => {
  jest.useFakeTimers();
  changes = [];
  channels = new WantedChannels((channel, isWanted) => changes.push(`${isWanted ? '+' : '-'}${channel}`));
});
afterEach(() => void jest.useRealTimers());

it('opens a channel for its first listener, and closes it five seconds after the last one left', () => {
  const [first, second] = [channels.join('a'), channels.join('a')];
  expect([changes, channels.all]).toEqual([['+a'], ['a']]);
  first();
  first();
  jest.advanceTimersByTime(60_000);
  second();
  jest.advanceTimersByTime(4_999);
  expect(changes).toEqual(['+a']);
  jest.advanceTimersByTime(1);
  expect([changes, channels.all]).toEqual([['+a', '-a'], []]);
});

it('changes nothing for listeners that come and go', () => {
  for (let count = 0; count < 100; count += 1) {
    channels.join('a')();
    jest.advanceTimersByTime(4_000);
  }
  expect(changes).toEqual(['+a']);
});

it('keeps the channels apart', () => {
  channels.join('a')();
  channels.join('b');
  jest.advanceTimersByTime(5_000);
  expect([changes, channels.all]).toEqual([['+a', '+b', '-a'], ['b']]);
});

it('is silent after it was closed', () => {
  const leave = channels.join('a');
  channels.join('b')();
  channels.close();
  leave();
  jest.advanceTimersByTime(60_000);
  expect(changes).toEqual(['+a', '+b']);
  expect(jest.getTimerCount()).toBe(0);
});
