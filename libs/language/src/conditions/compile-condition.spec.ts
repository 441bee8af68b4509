import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileCondition } from './compile-condition.js';
import { ConditionSyntaxError } from './condition-syntax-error.js';

function problemOf(text: string): { message: string; offset: number } | undefined {
  try {
    compileCondition(text);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ConditionSyntaxError)) throw thrown;
    return { message: thrown.message, offset: thrown.offset };
  }
}

describe('compileCondition', () => {
  it.each([
    ['', 'nothing at all'],
    ['  outcome = succeeded  ', 'spaces around everything'],
    ['flag=', 'an empty value at the end'],
    ['flag!=', 'an empty value at the end'],
    ['!!!flag', 'any number of negations'],
    ['context.lang = "type script"', 'a quoted value'],
    ['a = "no end', 'a missing closing quote'],
    ['contains contains contains', 'a word operator is a word where no word stands before it'],
    ['matches', 'a word operator alone is a key'],
    ['s matches "^a b|c$"', 'a quoted pattern'],
    ['a=1||b=2&&!c', 'no spaces'],
  ])('accepts %j: %s', (text) => {
    expect(problemOf(text)).toBeUndefined();
  });

  it.each([
    ['a b', 'expected && or || after a finished clause (a value with spaces needs quotes), but found "b"', 2],
    ['a=1 b=2', 'expected && or || after a finished clause (a value with spaces needs quotes), but found "b"', 4],
    ['a = && b', 'expected a value after "=", but found "&&"', 4],
    ['a = || b', 'expected a value after "=", but found "||"', 4],
    ['a >', 'expected a value after ">", but the condition ends', 3],
    ['a contains', 'expected a value after "contains", but the condition ends', 10],
    ['&& a', 'expected a key, but found "&&"', 0],
    ['a &&', 'expected a key, but the condition ends', 4],
    ['!', 'expected a key, but the condition ends', 1],
    ['a & b', 'a single "&" means nothing, write "&&"', 2],
    ['a | b', 'a single "|" means nothing, write "||"', 2],
    ['a == b', 'equality is written with one "="', 3],
    ['a ! b', 'expected && or || after a finished clause (a value with spaces needs quotes), but found "!"', 2],
  ])('refuses %j', (text, message, offset) => {
    expect(problemOf(text)).toEqual({ message, offset });
  });

  it.each(['(', 'a(?=b)', '(a)\\1', 'a**', '[z-a]'])('refuses the pattern %j: no RE2 syntax', (pattern) => {
    expect(problemOf(`s matches "${pattern.replaceAll('\\', '\\\\')}"`)?.message).toContain(
      'is no RE2 regular expression',
    );
  });

  it('throws nothing but a ConditionSyntaxError, at an offset inside the text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('a', '"', '\\', '=', '!=', '&&', '||', '!', '>', ' ', 'contains', 'matches', '(', '*'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (condition) => {
        const offset = problemOf(condition)?.offset ?? 0;
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(condition.length);
      }),
    );
  });
});
