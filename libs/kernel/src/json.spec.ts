import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './json.js';

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
