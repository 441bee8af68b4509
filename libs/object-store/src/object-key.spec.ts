import { describe, expect, it } from '@jest/globals';
import { InvalidObjectKeyError, InvalidRangeError } from './errors.js';
import { assertKey, assertPrefix, assertRange } from './object-key.js';

describe('a key', () => {
  it.each(['acme/a', 'acme/01J/plan@1/stdout.log', 'a', 'acme/.hidden', 'acme/x:y_z-1'])('may be %j', (key) => {
    expect(() => assertKey(key)).not.toThrow();
  });

  it.each([
    '',
    '/',
    '/etc/passwd',
    'a//b',
    'a/',
    './a',
    'a/.',
    '..',
    'a/../b',
    'a/..',
    'a..b',
    'a\\b',
    'a b',
    'ä',
    'a\n',
  ])('may not be %j', (key) => {
    expect(() => assertKey(key)).toThrow(InvalidObjectKeyError);
  });

  it('is not longer than every store can hold', () => {
    expect(() => assertKey('a'.repeat(201))).toThrow(InvalidObjectKeyError);
    expect(() => assertKey('a/'.repeat(450) + 'a')).toThrow(InvalidObjectKeyError);
  });
});

describe('a prefix', () => {
  it('names a folder', () => {
    expect(() => assertPrefix('acme/01J/')).not.toThrow();
  });

  it.each(['', '/', 'acme', '../', 'acme//', './'])('may not be %j', (prefix) => {
    expect(() => assertPrefix(prefix)).toThrow(InvalidObjectKeyError);
  });
});

describe('a range', () => {
  it.each([
    [-1, 2],
    [3, 2],
    [0.5, 2],
    [0, Infinity],
    [NaN, 2],
  ])('does not go from %d to %d', (start, end) => {
    expect(() => assertRange(start, end)).toThrow(InvalidRangeError);
  });
});
