import { describe, expect, it } from '@jest/globals';
import { cleanJson, cleanText, truncateText } from './text.js';

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
