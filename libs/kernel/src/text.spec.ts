import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanJson, cleanText, fitsJson, jsonBytes, shortenText, truncateText } from './text.js';

describe('text that is safe to store', () => {
  it('replaces NUL and lone surrogates and keeps everything else', () => {
    expect(cleanText('a\u0000b\ud800c😀')).toBe('a\ufffdb\ufffdc😀');
  });

  it('cleans keys and nested strings, and cuts at depth 64', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100; i++) deep = [deep];
    expect(cleanJson({ 'k\u0000': ['\u0000'] })).toEqual({ 'k\ufffd': ['\ufffd'] });
    expect(JSON.stringify(cleanJson(deep as never))).toBe('['.repeat(64) + 'null' + ']'.repeat(64));
  });

  it('cuts between characters', () => {
    expect(truncateText('aä😀', 100)).toBe('aä😀');
    expect(truncateText('aä😀', 2)).toBe('a');
    expect(truncateText('aä😀', 3)).toBe('aä');
    expect(truncateText('aä😀', 6)).toBe('aä');
    expect(truncateText('😀😀', 5)).toBe('😀');
  });
});

describe('the size of a text as JSON', () => {
  it('counts bytes and escapes', () => {
    expect(['a', 'é', '"', '\n', '\u0001', '😀'].map((text) => jsonBytes(text) - 2)).toEqual([1, 2, 2, 2, 6, 4]);
    expect([fitsJson('\u0001'.repeat(10), 62), fitsJson('\u0001'.repeat(10), 61)]).toEqual([true, false]);
  });

  it('decides whether a text is shortened, and how much', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '"', '\u0001', '😀', '\ud800'), maxLength: 200 });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 300 }), (text, maxBytes) => {
        const short = shortenText(text, maxBytes);
        expect(fitsJson(text, maxBytes)).toBe(jsonBytes(text) <= maxBytes);
        expect(jsonBytes(short)).toBeLessThanOrEqual(maxBytes);
        if (fitsJson(text, maxBytes)) expect(short).toBe(text);
        else expect(text.toWellFormed().startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('leaves as much as fits', () => {
    expect(shortenText('x'.repeat(1_000), 105)).toBe(`${'x'.repeat(100)}…`);
    expect(jsonBytes(shortenText('\n'.repeat(1_000), 105))).toBeGreaterThan(80);
  });
});
