import { describe, expect, it } from '@jest/globals';
import { expand } from '../graph/expand.js';
import { CompileState } from '../compile-state.js';
import { parseText } from './parse.js';
import { spanInside } from './span-inside.js';

/** The part of the source that stands for a part of the label's text. */
function written(label: string, from: number, to: number): string {
  const state = new CompileState();
  state.sources.add('another text');
  const source = state.sources.add(`digraph W { a [label=${label}] }`);
  const { attributes } = expand(parseText(source).tree!, state).nodes.get('a')!;
  const { start, end } = spanInside(state.sources, attributes.get('label')!.literal, from, to);
  return source.text.slice(start - source.base, end - source.base);
}

describe('spanInside', () => {
  it.each([
    ['"abc def"', 4, 7, 'def'],
    [String.raw`"a\"b\"c"`, 2, 3, 'b'],
    [String.raw`"a\"b\"c"`, 3, 5, String.raw`\"c`],
    [String.raw`"\\\\x"`, 2, 3, 'x'],
    [String.raw`"\d+ \d"`, 4, 6, String.raw`\d`],
    ['"line\nnext"', 5, 9, 'next'],
    ['word', 1, 3, 'or'],
    ['"abc"', 3, 9, '"'],
  ])('in %s, %i to %i is %s', (label, from, to, part) => {
    expect(written(label, from, to)).toBe(part);
  });
});
