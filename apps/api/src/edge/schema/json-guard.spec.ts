import { describe, expect, it } from '@jest/globals';
import { MAX_DEPTH, unreadable as faultsIn } from './json-guard.js';

const unreadable = (value: unknown) => faultsIn(value, 20);
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('unreadable', () => {
  it('finds nothing in ordinary JSON', () => {
    expect(unreadable({ a: [1, 'two', null, { b: true }], c: '\n\t' })).toEqual([]);
  });

  it('names the place of a character U+0000, in values and in keys', () => {
    const value = JSON.parse('{"title":"a\\u0000b","list":[{"x y":"\\u0000"}],"k\\u0000":1}') as unknown;
    expect(unreadable(value).map(({ at }) => at)).toEqual(['title', 'list[0]["x y"]', '']);
  });

  it('allows 64 levels and no more', () => {
    expect(unreadable(nested(MAX_DEPTH))).toEqual([]);
    expect(unreadable(nested(MAX_DEPTH + 1))).toHaveLength(1);
  });

  it('survives a body that is nothing but brackets', () => {
    expect(unreadable(nested(1_000_000))).toHaveLength(1);
  });
});
