import { describe, expect, it } from '@jest/globals';
import { SourceText } from './source-text.js';

describe('SourceText', () => {
  const source = new SourceText('ab\n😀c\n');

  it.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [5, 2, 3],
    [6, 2, 4],
    [7, 3, 1],
  ])('finds offset %i in line %i, column %i', (offset, line, column) => {
    expect(source.positionAt(offset)).toEqual({ offset, line, column });
  });

  it('takes an offset outside the text to its nearer end', () => {
    expect(source.positionAt(-1).offset).toBe(0);
    expect(source.positionAt(99).offset).toBe(7);
  });
});
