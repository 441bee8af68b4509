import { describe, expect, it } from '@jest/globals';
import { aQuestion } from '../../../../test/support/cli/samples.js';
import { readAnswer, waysToAnswer } from './read-answer.js';

const options = [
  { key: 'A', label: '[A] Approve' },
  { key: 'a', label: 'abort' },
  { key: 'R', label: 'Revise' },
];
const one = aQuestion({ question_type: 'multiple_choice', options });
const several = aQuestion({ question_type: 'multi_select', options });
const chosen = (option_key: string) => ({ kind: 'selected', option_key });

describe('what is typed', () => {
  it.each([
    ['A', 'A'],
    ['a', 'a'],
    [' r ', 'R'],
    ['APPROVE', 'A'],
    ['[A] Approve', 'A'],
    ['revise', 'R'],
  ])('"%s" chooses the option %s', (typed, key) => {
    expect(readAnswer(one, typed)).toEqual(chosen(key));
  });

  it.each(['', 'x', 'A,R', 'yes', '1'])('"%s" chooses nothing, least of all the first option', (typed) => {
    expect(readAnswer(one, typed)).toBeUndefined();
  });

  it('chooses nothing when two options are meant', () => {
    const options = [
      { key: 'Y', label: 'go' },
      { key: 'y', label: 'Go' },
    ];
    expect(readAnswer({ ...one, options }, 'GO')).toBeUndefined();
  });

  it('is a text only where the question takes one and an option is not meant', () => {
    const open = { ...one, allow_freeform: true };
    expect(readAnswer(open, 'revise')).toEqual(chosen('R'));
    expect(readAnswer(open, ' later ')).toEqual({ kind: 'text', text: 'later' });
    expect(readAnswer(open, '  ')).toBeUndefined();
    expect(readAnswer(aQuestion({ question_type: 'freeform', options }), 'A')).toEqual({ kind: 'text', text: 'A' });
  });

  it('names several options with commas, each once, or none at all', () => {
    expect(readAnswer(several, 'R, approve,R')).toEqual({ kind: 'multi_selected', option_keys: ['R', 'A'] });
    expect(readAnswer(several, 'R,x')).toBeUndefined();
    expect(readAnswer(several, '')).toBeUndefined();
  });

  it.each(['yes_no', 'confirmation'] as const)('is yes or no for a question of type %s', (question_type) => {
    const question = aQuestion({ question_type });
    expect(['y', 'YES', 'n', 'No'].map((typed) => readAnswer(question, typed)?.kind)).toEqual([
      'yes',
      'yes',
      'no',
      'no',
    ]);
    expect(readAnswer(question, 'maybe')).toBeUndefined();
  });
});

it('says what can be typed', () => {
  expect(waysToAnswer(one)).toBe('A, a or R');
  expect(waysToAnswer({ ...several, allow_freeform: true })).toBe(
    'any of A, a, R, with commas between them, or any text',
  );
  expect(waysToAnswer(aQuestion({ question_type: 'yes_no' }))).toBe('yes or no');
  expect(waysToAnswer(aQuestion({ question_type: 'freeform', allow_freeform: true }))).toBe('any text');
});
