import { type Json } from '#libs/kernel';
import { describe, expect, it } from '@jest/globals';
import { compileCondition } from './compile-condition.js';
import { evaluate } from './evaluate.js';

const context: Record<string, Json> = {
  n: 10,
  half: 0.5,
  zero: 0,
  f: false,
  t: true,
  nothing: null,
  s: 'abc',
  text: 'false',
  number: ' 7',
  l: ['x', 'y', 3, true],
  o: { k: 1 },
  'a.b': 'flat',
  'context.both': 'exact',
  both: 'short',
  quoted: 'say "hi" \\ bye',
  outcome: 'failed',
};

function holds(text: string): boolean {
  return evaluate(compileCondition(text), {
    outcome: 'succeeded',
    preferredLabel: 'Fix',
    lookup: (key) => (Object.hasOwn(context, key) ? context[key] : undefined),
  });
}

describe('evaluate', () => {
  it.each<[topic: string, cases: Record<string, boolean>]>([
    ['the empty condition always holds', { '': true, '   ': true }],
    [
      'keys: the stage, its preferred label, the context by a flat name',
      {
        'outcome=succeeded': true,
        'outcome=failed': false,
        'context.outcome=failed': true,
        'preferred_label=Fix': true,
        'context.n=10': true,
        'context.both=exact': true,
        'both=short': true,
        'a.b=flat': true,
        'context.a.b=flat': true,
        'o.k=1': false,
        '"n"=10': false,
      },
    ],
    [
      'a bare key is truthy when its text is neither empty, nor false, nor 0',
      {
        n: true,
        t: true,
        l: true,
        f: false,
        '!f': true,
        '!!f': false,
        zero: false,
        nothing: false,
        missing: false,
        text: false,
      },
    ],
    [
      '= and != compare texts exactly; a missing value is the empty text',
      {
        's=abc': true,
        's=ABC': false,
        's!=abc': false,
        'n=10.0': false,
        'half=0.5': true,
        't=true': true,
        'missing=': true,
        'missing!=x': true,
        'nothing=': true,
        'o="{\\"k\\":1}"': true,
        'quoted = "say \\"hi\\" \\\\ bye"': true,
      },
    ],
    [
      '< > <= >= compare numbers, and do not hold for anything else',
      {
        'n>9': true,
        'n>10': false,
        'n>=10': true,
        'n<1e3': true,
        'n<=9.99': false,
        'n>-.5': true,
        'n>abc': false,
        'n<abc': false,
        's>1': false,
        'missing<1': false,
        'number>1': false,
        'n>0x1': false,
        'n>""': false,
      },
    ],
    [
      'contains looks for an element of a list, else for a part of the text',
      {
        'l contains x': true,
        'l contains 3': true,
        'l contains true': true,
        'l contains "x,y"': false,
        's contains b': true,
        's contains ""': true,
        'o contains k': true,
        'n contains 1': true,
        'missing contains x': false,
        'missing contains ""': true,
      },
    ],
    [
      'matches searches anywhere in the text',
      {
        's matches ^a.c$': true,
        's matches b': true,
        's matches ^b': false,
        'n matches \\d+': true,
        'missing matches ^$': true,
      },
    ],
    [
      '&& binds tighter than ||, and ! tightest',
      {
        's=abc || n=1 && f': true,
        'f && s=abc || n=10': true,
        'f || s=abc && n=1': false,
        '!f && n': true,
        '!s=abc || n=10': true,
        '!s=abc && n=10': false,
        '!missing=x': true,
      },
    ],
  ])('%s', (_, cases) => {
    const actual = Object.fromEntries(Object.keys(cases).map((text) => [text, holds(text)]));
    expect(actual).toEqual(cases);
  });

  it('takes time linear in the text, whatever the pattern', () => {
    const condition = compileCondition('s matches "^(a+)+$"');
    const scope = { outcome: '', preferredLabel: '', lookup: () => `${'a'.repeat(50_000)}!` };
    expect(evaluate(condition, scope)).toBe(false);
  });
});
