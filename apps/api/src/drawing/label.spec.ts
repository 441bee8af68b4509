import { describe, expect, it } from '@jest/globals';
import { labelOf } from './label.js';

const ROOM = { width: 10, lines: 3 };
const label = (text: string) => labelOf(text, ROOM);

describe('labelOf', () => {
  it.each([
    ['plan', 'plan'],
    ['', ''],
    [' \n\t', ''],
    ['one two three four', String.raw`one two\nthree four`],
    ['one\ntwo', String.raw`one\ntwo`],
    ['one\r\ntwo\rthree', String.raw`one\ntwo\nthree`],
    ['a b c d e f g h i j k l m n o p q', String.raw`a b c d e\nf g h i j\nk l m n o…`],
    ['x'.repeat(41), `${'x'.repeat(40)}…`],
    ['🦊'.repeat(41), `${'🦊'.repeat(40)}…`],
  ])('%j becomes %j', (text, expected) => {
    expect(label(text)).toBe(expected);
  });

  it.each([
    ['an escape', String.raw`\N \G \n`, String.raw`\\N \\G \\n`],
    ['an entity', '&lt;b&gt;', '&amp;lt;b&amp;gt;'],
  ])('makes %s literal', (_, text, expected) => {
    expect(label(text)).toBe(expected);
  });

  it.each([
    ['control characters', 'a\u0007\u0000b\u009fc', 'a b c'],
    ['characters that turn the direction', 'a\u202eb\u2066c', 'a b c'],
    ['separators of lines', 'a\u2028b', 'a b'],
    ['what is no character', 'a\uffffb', 'a b'],
    ['half a character', 'a\ud800', 'a\ufffd'],
  ])('leaves out %s', (_, text, expected) => {
    expect(label(text)).toBe(expected);
  });

  it('reads no more of a long text than it shows', () => {
    expect(label('word '.repeat(1_000_000))).toBe(String.raw`word word\nword word\nword word…`);
  });
});
