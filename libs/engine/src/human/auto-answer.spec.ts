import { describe, expect, it } from '@jest/globals';
import type { QuestionAnswer, QuestionType } from '#libs/events';
import { aGate, aQuestion } from '../../../../test/support/a-gate.js';
import { automaticAnswer, simulatedOutcome } from './auto-answer.js';
import { objectionTo } from './check-answer.js';

describe('automaticAnswer', () => {
  it.each<[QuestionType, QuestionAnswer]>([
    ['yes_no', { kind: 'yes' }],
    ['confirmation', { kind: 'yes' }],
    ['multiple_choice', { kind: 'selected', option_key: 'A' }],
    ['multi_select', { kind: 'multi_selected', option_keys: ['A'] }],
    ['freeform', { kind: 'text', text: 'auto-approved' }],
  ])('says to a %s question %j, which it takes', (question_type, answer) => {
    const question = aQuestion({ question_type });
    expect(automaticAnswer(question)).toEqual(answer);
    expect(objectionTo(question, answer)).toBeUndefined();
  });

  it.each<[QuestionType, QuestionAnswer]>([
    ['multiple_choice', { kind: 'text', text: 'auto-approved' }],
    ['multi_select', { kind: 'multi_selected', option_keys: [] }],
  ])('says to a %s question without options %j, which it takes', (question_type, answer) => {
    const question = aQuestion({ question_type, options: [], allow_freeform: true });
    expect(automaticAnswer(question)).toEqual(answer);
    expect(objectionTo(question, answer)).toBeUndefined();
  });
});

describe('simulatedOutcome', () => {
  it.each([
    ['the first option', ['ship [label=Say, freeform=true]', 'fix [label=Go]', 'exit'], 'Go', 'fix'],
    ['the edge for words, where there is no option', ['ship [freeform=true]'], undefined, 'ship'],
  ])('takes %s', (_, targets, preferredLabel, next) => {
    const { node, edges } = aGate(targets);
    expect(simulatedOutcome(node, edges, () => true)).toEqual({
      status: 'succeeded',
      notes: '[Simulated] ask',
      ...(preferredLabel && { preferredLabel }),
      suggestedNextIds: [next],
    });
  });

  it('takes no option that is closed', () => {
    const { node, edges } = aGate(['ship', 'fix']);
    expect(simulatedOutcome(node, edges, ({ to }) => to !== 'ship')).toMatchObject({ suggestedNextIds: ['fix'] });
  });

  it('names no way where there is none', () => {
    const { node } = aGate(['exit']);
    expect(simulatedOutcome(node, [], () => true)).toEqual({ status: 'succeeded', notes: '[Simulated] ask' });
  });
});
