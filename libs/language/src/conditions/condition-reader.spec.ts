import { describe, expect, it } from '@jest/globals';
import { ConditionReader } from './condition-reader.js';
import { ConditionSyntaxError } from './condition-syntax-error.js';

const repeated = (i: number) => `x${i} matches "a{1000}"`;

/** How many different patterns with a repetition are read before there are too many. */
function readable(reader: ConditionReader): number {
  for (let i = 0; i < 1_000; i++) if (reader.read(repeated(i)) instanceof ConditionSyntaxError) return i;
  return Infinity;
}

describe('a reader of conditions', () => {
  it('reads each text once, and says the fault of one that cannot be read', () => {
    const reader = new ConditionReader('whole');
    expect(reader.read('x=1')).toBe(reader.read('x=1'));
    expect(reader.read('x=')).toMatchObject({ text: 'x=' });
    expect(reader.read('x==1')).toBeInstanceOf(ConditionSyntaxError);
  });

  it('compiles no more patterns than its effort allows, and says so', () => {
    const [brief, whole] = [new ConditionReader('brief'), new ConditionReader('whole')];
    expect(brief.isSpent).toBe(false);
    expect([readable(brief), readable(whole)]).toEqual([8, 260]);
    expect([brief.isSpent, whole.isSpent]).toEqual([true, true]);
    expect(brief.read(repeated(0))).not.toBeInstanceOf(ConditionSyntaxError);
    expect(brief.read(repeated(999))).toMatchObject({ message: expect.stringContaining('take too much work') });
  });
});
