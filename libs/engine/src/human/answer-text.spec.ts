import { expect, it } from '@jest/globals';
import type { QuestionAnswer } from '#libs/events';
import { aQuestion } from '../../../../test/support/a-gate.js';
import { answerText } from './answer-text.js';

it.each<[QuestionAnswer, string]>([
  [{ kind: 'yes' }, 'yes'],
  [{ kind: 'no' }, 'no'],
  [{ kind: 'selected', option_key: 'A' }, '[A] Approve'],
  [{ kind: 'selected', option_key: 'X' }, 'X'],
  [{ kind: 'multi_selected', option_keys: ['R', 'A'] }, '[R] Reject, [A] Approve'],
  [{ kind: 'multi_selected', option_keys: [] }, ''],
  [{ kind: 'text', text: 'A' }, 'A'],
  [{ kind: 'text', text: ' Not before Monday.\n' }, ' Not before Monday.\n'],
])('%j reads %j', (answer, text) => {
  expect(answerText(aQuestion(), answer)).toBe(text);
});

it('an answer reads as it is where the question had no options', () => {
  const { options: _, ...question } = aQuestion();
  expect(answerText(question, { kind: 'selected', option_key: 'A' })).toBe('A');
});
