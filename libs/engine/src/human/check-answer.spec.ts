import { describe, expect, it } from '@jest/globals';
import type { QuestionAnswer, QuestionType } from '#libs/events';
import { aQuestion } from '../../../../test/support/a-gate.js';
import { objectionTo } from './check-answer.js';

const yes: QuestionAnswer = { kind: 'yes' };
const no: QuestionAnswer = { kind: 'no' };
const text = (words = 'Later'): QuestionAnswer => ({ kind: 'text', text: words });
const one = (option_key = 'A'): QuestionAnswer => ({ kind: 'selected', option_key });
const many = (...option_keys: string[]): QuestionAnswer => ({ kind: 'multi_selected', option_keys });

/** Who takes what, without an edge for free text. */
const fitting: Record<QuestionType, QuestionAnswer[]> = {
  yes_no: [yes, no],
  confirmation: [yes, no],
  multiple_choice: [one('A'), one('R')],
  multi_select: [many('R'), many('R', 'A')],
  freeform: [text()],
};
const types = Object.keys(fitting) as QuestionType[];
const every = Object.values(fitting).flat();

describe.each(types)('a %s question', (question_type) => {
  const question = aQuestion({ question_type });

  it.each(every)('takes an answer of its own kind and no other: %j', (answer) => {
    const fits = fitting[question_type].some(({ kind }) => kind === answer.kind);
    expect(objectionTo(question, answer) === undefined).toBe(fits);
  });

  it('takes words where an edge does, unless they are blank', () => {
    const open = aQuestion({ question_type, allow_freeform: true });
    expect(objectionTo(open, text())).toBeUndefined();
    expect(objectionTo(open, text(' \n'))).toContain('a text that is not blank');
  });
});

it('nothing chosen of several is an answer only where an edge takes words', () => {
  const [closed, open] = [false, true].map((allow_freeform) =>
    aQuestion({ question_type: 'multi_select', allow_freeform }),
  );
  expect(objectionTo(closed!, many())).toContain('with at least one of "A", "R".');
  expect(objectionTo(open!, many())).toBeUndefined();
});

it.each([
  ['multiple_choice', one('X')],
  ['multiple_choice', one('a')],
  ['multiple_choice', one('[A] Approve')],
  ['multi_select', many('A', 'X')],
] as const)('a %s question names its keys to %j', (question_type, answer) => {
  expect(objectionTo(aQuestion({ question_type }), answer)).toMatch(/ of "A", "R"\.$/);
});

it.each([
  [
    'multiple_choice',
    true,
    '{"kind":"selected","option_key":…} with one of "A", "R", or {"kind":"text","text":…} with',
  ],
  ['multi_select', false, '{"kind":"multi_selected","option_keys":[…]} with at least one of "A", "R".'],
  ['confirmation', false, '{"kind":"yes"} or {"kind":"no"}.'],
] as const)('a %s question (words: %s) says what it takes', (question_type, allow_freeform, ways) => {
  const question = aQuestion({ question_type, allow_freeform });
  const answer = question_type === 'confirmation' ? one() : yes;
  expect(objectionTo(question, answer)).toContain(
    `This ${question_type} question does not take that answer; it takes ${ways}`,
  );
});

it('a choice among no options says that there are none', () => {
  expect(objectionTo(aQuestion({ options: [], allow_freeform: true }), one())).toContain('one of no options, or');
});
