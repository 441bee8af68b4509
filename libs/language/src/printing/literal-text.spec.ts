import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { coerce, naturalValue, rawValue } from '../graph/coerce.js';
import { parse } from '../syntax/parse.js';
import { type Literal } from '../syntax/tree.js';
import { literalText } from './literal-text.js';

function literalIn(written: string): Literal {
  const { tree, diagnostics } = parse(`digraph W { x = ${written} }`);
  const [statement] = tree!.statements;
  if (statement?.type !== 'assignment') throw new Error(diagnostics[0]?.message);
  return statement.attribute.value;
}

describe('literalText', () => {
  it.each([
    ['box', undefined, 'box'],
    ['gpt-5.2', 'string', 'gpt-5.2'],
    ['two words', 'string', '"two words"'],
    ['', 'string', '""'],
    ['5', undefined, '"5"'],
    ['true', undefined, '"true"'],
    ['5m', undefined, '"5m"'],
    ['say "\\n"\n', 'string', '"say \\"\\\\n\\"\n"'],
    ['half \ud83d, none \0', 'string', '"half \ufffd, none \ufffd"'],
    ['900000ms', 'duration', '15m'],
    ['1500ms', 'duration', '1500ms'],
    ['172800000ms', 'duration', '2d'],
    ['0ms', 'switchable duration', '0s'],
    [true, 'boolean', 'true'],
    [-5, 'integer', '-5'],
    [1.5, undefined, '1.5'],
    [-1.5e-7, undefined, '-0.00000015'],
    [1.5e21, undefined, '1500000000000000000000.0'],
  ] as const)('%j as %s is %s', (value, type, text) => {
    expect(literalText(value, type)).toBe(text);
  });

  it('is read as the value it was made of', () => {
    const double = fc.double({ noDefaultInfinity: true, noNaN: true }).filter((value) => !Object.is(value, -0));
    const value = fc.oneof(double, fc.integer(), fc.boolean(), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(value, (any) => {
        fc.pre(typeof any !== 'string' || !any.includes('\0'));
        expect(rawValue(naturalValue(literalIn(literalText(any, undefined))))).toBe(any);
      }),
    );
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(coerce(literalIn(literalText(`${ms}ms`, 'duration')), 'duration')).toMatchObject({ value: ms });
      }),
    );
  });
});
