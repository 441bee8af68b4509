import { describe, expect, it } from '@jest/globals';
import { firstSeq } from './first-seq.js';

describe('firstSeq', () => {
  it.each([
    [undefined, undefined, 1],
    ['0', undefined, 1],
    ['41', undefined, 42],
    [undefined, 7, 7],
    ['41', 7, 42],
    ['5', 7, 7],
  ])('after %p and from %p begins with %i', (lastEventId, sinceSeq, first) => {
    expect(firstSeq(lastEventId, sinceSeq)).toBe(first);
  });

  it.each(['', 'x', '-1', '1.5', '1e3', ' 1', '9'.repeat(16)])('refuses %j as a last event id', (lastEventId) => {
    expect(() => firstSeq(lastEventId, undefined)).toThrow('Last-Event-ID must be the seq of an event');
  });
});
