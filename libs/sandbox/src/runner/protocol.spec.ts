import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lineSplitter } from './protocol.js';

describe('lineSplitter', () => {
  it('gives the same lines however the text was cut', () => {
    const line = fc.string().filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
        const seen: string[] = [];
        const push = lineSplitter((text) => seen.push(text));
        let rest = lines.map((text) => `${text}\n`).join('');
        for (const length of cuts) {
          push(rest.slice(0, length));
          rest = rest.slice(length);
        }
        push(rest);
        expect(seen).toEqual(lines);
      }),
    );
  });

  it('keeps an unfinished line to itself', () => {
    const seen: string[] = [];
    lineSplitter((text) => seen.push(text))('whole\nhalf');
    expect(seen).toEqual(['whole']);
  });
});
