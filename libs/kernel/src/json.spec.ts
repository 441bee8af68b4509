import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, isDeeperThan, saysTooManyValues } from './json.js';

describe('canonicalJson', () => {
  it('gives equal values equal text, whatever the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
  });

  it('reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('isDeeperThan', () => {
  it('counts the levels of lists and objects, of any depth', () => {
    const deep = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels)}[]${'}]'.repeat(levels)}`);
    expect([isDeeperThan(0, 7), isDeeperThan(0, []), isDeeperThan(1, [])]).toEqual([false, true, false]);
    expect([isDeeperThan(20, deep(10)), isDeeperThan(21, deep(10))]).toEqual([true, false]);
    expect(isDeeperThan(64, deep(100_000))).toBe(true);
  });
});

describe('the number of values that a JSON text says', () => {
  it.each([
    ['members', `[${'0,'.repeat(250_000)}0]`],
    ['lists in lists', '['.repeat(250_001)],
    ['lists beside each other', '[]'.repeat(250_001)],
    ['objects', `{"a":${'{},'.repeat(125_001)}}`],
  ])('is too large of %s', (_, text) => {
    expect(saysTooManyValues(text)).toBe(true);
  });

  it.each([
    ['a long text', JSON.stringify('[{,"'.repeat(100_000))],
    ['as many as there may be', `[${'0,'.repeat(249_998)}0]`],
    ['a few with many spaces', `[${' '.repeat(300_000)}]`],
  ])('is not too large of %s', (_, text) => {
    expect(saysTooManyValues(text)).toBe(false);
  });
});
