import { describe, expect, it } from '@jest/globals';
import type { QuestionAnswer } from '#libs/events';
import { aGate, aQuestion } from '../../../../test/support/a-gate.js';
import { openChoicesOf, openFreeformEdge, type IsOpen } from './options.js';
import { outcomeOf } from './take-answer.js';

// ask -[A] Approve-> ship ; ask -[R] Reject-> fix
const PLAIN = ['ship [label="[A] Approve"]', 'fix [label="[R] Reject"]'];
// and ask -Say-> talk, which takes words
const OPEN = [...PLAIN, 'talk [label=Say, freeform=true]'];

const outcome = (targets: string[], answer: QuestionAnswer, isOpen: IsOpen = () => true) => {
  const gate = aGate(targets);
  const options = openChoicesOf(gate.edges, isOpen).map(({ option }) => option);
  const allow_freeform = openFreeformEdge(gate.edges, isOpen) !== undefined;
  return outcomeOf({ ...gate, question: aQuestion({ options, allow_freeform }), answer });
};
const text = (words: string): QuestionAnswer => ({ kind: 'text', text: words });
const one = (option_key: string): QuestionAnswer => ({ kind: 'selected', option_key });
const many = (...option_keys: string[]): QuestionAnswer => ({ kind: 'multi_selected', option_keys });

const told = (selected: string, label: string, answer = label) => ({
  'human.gate.selected': selected,
  'human.gate.label': label,
  'human.gate.ask.question': 'Ship it?',
  'human.gate.ask.answer': answer,
  'human.gate.ask.label': label,
});

describe('an answer that names an option', () => {
  it('leads along its edge, and is told to later stages', () => {
    expect(outcome(PLAIN, one('R'))).toEqual({
      status: 'succeeded',
      preferredLabel: '[R] Reject',
      suggestedNextIds: ['fix'],
      contextUpdates: told('R', '[R] Reject'),
    });
  });

  it('leads along the first of several, in the order of the options', () => {
    expect(outcome(PLAIN, many('R', 'A'))).toEqual({
      status: 'succeeded',
      preferredLabel: '[A] Approve',
      suggestedNextIds: ['ship'],
      contextUpdates: told('A,R', '[A] Approve, [R] Reject', '[R] Reject, [A] Approve'),
    });
  });

  it.each([
    [{ kind: 'yes' }, 'A', '[A] Approve', 'yes'],
    [{ kind: 'no' }, 'R', '[R] Reject', 'no'],
    [text(' r '), 'R', '[R] Reject', ' r '],
    [text('[a] APPROVE'), 'A', '[A] Approve', '[a] APPROVE'],
  ] as const)('may be %j', (answer, key, label, words) => {
    for (const targets of [PLAIN, OPEN]) {
      expect(outcome(targets, answer)).toMatchObject({
        preferredLabel: label,
        contextUpdates: told(key, label, words),
      });
    }
  });

  it('leads along one edge where a text fits two', () => {
    const twins = ['ship [label=Go]', 'fix [label=Go]'];
    expect(outcome(twins, text('go'))).toMatchObject({
      suggestedNextIds: ['ship'],
      contextUpdates: told('G', 'Go', 'go'),
    });
  });
});

it('an option that was not offered is none', () => {
  const shut: IsOpen = ({ to }) => to !== 'fix';
  expect(outcome(PLAIN, one('R'), shut)).toMatchObject({ status: 'failed' });
  expect(outcome(PLAIN, { kind: 'no' }, shut)).toMatchObject({ status: 'failed' });
  expect(outcome(OPEN, text('R'), shut)).toMatchObject({ suggestedNextIds: ['talk'] });
});

describe('an answer that names no option', () => {
  it.each([
    [text('Not today'), 'Not today'],
    [text('Approve'), 'Approve'],
    [one('X'), 'X'],
    [many(), ''],
  ])('takes the edge for words: %j', (answer, words) => {
    expect(outcome(OPEN, answer)).toEqual({
      status: 'succeeded',
      suggestedNextIds: ['talk'],
      contextUpdates: { ...told('freeform', words), 'human.gate.text': words },
    });
  });

  it('goes on with its words and no preference where no edge is for them', () => {
    expect(outcome(PLAIN, text('Not today'))).toEqual({
      status: 'succeeded',
      contextUpdates: { ...told('freeform', 'Not today'), 'human.gate.text': 'Not today' },
    });
  });

  it.each([
    ['a key that is unknown', PLAIN, one('X'), 'X'],
    ['a key in another case', PLAIN, one('a'), 'a'],
    ['keys that are all unknown', PLAIN, many('X', 'Y'), 'X, Y'],
    ['nothing of several', PLAIN, many(), ''],
    ['a no where there is only a way for yes', ['ship'], { kind: 'no' }, 'no'],
    ['a yes where there is only a way for no', ['ship [label=No]'], { kind: 'yes' }, 'yes'],
  ] as const)('fails for good, and is no consent: %s', (_, targets, answer, words) => {
    expect(outcome([...targets], answer as QuestionAnswer)).toEqual({
      status: 'failed',
      failure: {
        message: `The answer ${JSON.stringify(words)} names no option of the human gate.`,
        category: 'deterministic',
      },
      contextUpdates: told('', '', words),
    });
  });
});
