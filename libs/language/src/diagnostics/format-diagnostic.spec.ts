import { describe, expect, it } from '@jest/globals';
import { SourceText } from '../source/source-text.js';
import { formatDiagnostic } from './format-diagnostic.js';

function shown(text: string, start: number, end: number, fix?: string): string {
  const range = new SourceText(text).rangeOf({ start, end });
  return formatDiagnostic(text, { rule: 'a_rule', severity: 'error', message: 'Broken.', range, ...(fix && { fix }) });
}

describe('formatDiagnostic', () => {
  it('underlines the place in its line', () => {
    expect(shown('one\n\ttwo three\nfour', 9, 14, 'Mend it.')).toBe(
      ['2:6 error a_rule Broken.', '  fix: Mend it.', '  \ttwo three', '  \t    ^^^^^'].join('\n'),
    );
  });

  it('underlines only the first line of a long place, and shows at least one caret', () => {
    expect(shown('one two\nthree', 4, 13)).toBe('1:5 error a_rule Broken.\n  one two\n      ^^^');
    expect(shown('one', 3, 3)).toBe('1:4 error a_rule Broken.\n  one\n     ^');
  });

  it('cuts a very long line around the place', () => {
    const text = `${'x'.repeat(10_000)}HERE${'y'.repeat(10_000)}`;
    const [, line, carets] = shown(text, 10_000, 10_004).split('\n');
    expect(line!.length).toBeLessThanOrEqual(122);
    expect(line!.slice(carets!.indexOf('^'), carets!.indexOf('^') + 4)).toBe('HERE');
    expect(carets!.trim()).toBe('^^^^');
  });
});
