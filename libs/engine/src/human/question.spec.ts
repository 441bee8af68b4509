import { describe, expect, it } from '@jest/globals';
import type { Json } from '#libs/kernel';
import { aGate, type Gate } from '../../../../test/support/a-gate.js';
import { askQuestion } from './question.js';

// ask -[A] Approve-> ship ; ask -> exit
const PLAIN = ['ship [label="[A] Approve"]', 'exit'];
const REVIEW = { label: 'Plan', url: 'https://docs.example/plan', kind: 'document' };

const asked = (gate: Gate, context: Record<string, Json> = {}) =>
  askQuestion({ ...gate, isOpen: () => true, questionId: 'Q1', lookup: (key) => context[key] });
const asks = (...[targets, attributes]: Parameters<typeof aGate>) => ({
  in: (context: Record<string, Json>) => asked(aGate(targets, attributes), context),
});

describe('askQuestion', () => {
  it('asks the label of the node, with an option for each edge, and nothing that nobody wrote', () => {
    expect(asks(PLAIN).in({})).toEqual({
      question: {
        question_id: 'Q1',
        question: 'Ship it?',
        stage: 'ask',
        question_type: 'multiple_choice',
        options: [
          { key: 'A', label: '[A] Approve' },
          { key: 'e', label: 'exit' },
        ],
        allow_freeform: false,
      },
    });
  });

  it('asks for words where there is nothing but an edge for them', () => {
    const asking = asks(['exit [freeform=true]']).in({});
    expect(asking).toMatchObject({ question: { question_type: 'freeform', allow_freeform: true } });
    expect(asking).not.toHaveProperty('question.options');
  });

  it('takes words beside options', () => {
    expect(asks([...PLAIN, 'ship [freeform=true]']).in({})).toMatchObject({
      question: { question_type: 'multiple_choice', allow_freeform: true, options: [{ key: 'A' }, { key: 'e' }] },
    });
  });

  it('asks in the way that the node names, within its time', () => {
    expect(asks(PLAIN, 'question_type=yes_no, timeout="1500ms"').in({})).toMatchObject({
      question: { question_type: 'yes_no', timeout_seconds: 1.5 },
    });
  });

  it.each<[string, Record<string, Json>, string | undefined]>([
    ['the last answer of a model, trimmed', { last_stage: 'plan', 'response.plan': ' Do it.\n' }, 'Do it.'],
    ['nothing before a model said anything', {}, undefined],
    ['nothing for a blank answer', { last_stage: 'plan', 'response.plan': ' \n' }, undefined],
    ['nothing for a value that is no text', { last_stage: 'plan', 'response.plan': { a: 1 } }, undefined],
    ['nothing of another stage', { last_stage: 'plan', 'response.draft': 'Do it.' }, undefined],
  ])('shows %s', (_, context, shown) => {
    const asking = asks(PLAIN).in(context);
    expect('question' in asking && asking.question.context_display).toBe(shown);
  });
});

describe('a gate with edges that are closed', () => {
  const closing = (targets: string[], ...closed: string[]) =>
    askQuestion({
      ...aGate(targets),
      isOpen: ({ to }) => !closed.includes(to),
      questionId: 'Q1',
      lookup: () => undefined,
    });

  it('offers the others, each by the key that it always has', () => {
    const asking = closing(['ship [label=Run]', 'fix [label=Rest]', 'exit [freeform=true]'], 'ship');
    expect(asking).toMatchObject({ question: { options: [{ key: 'R2', label: 'Rest' }], allow_freeform: true } });
  });

  it('takes no words where the edge for them is closed', () => {
    expect(closing(['ship', 'exit [freeform=true]'], 'exit')).toMatchObject({ question: { allow_freeform: false } });
  });

  it('fails for good where all of them are', () => {
    expect(closing(['ship'], 'ship')).toMatchObject({ failure: { category: 'deterministic' } });
  });
});

describe('a gate that reviews a document', () => {
  it('asks for the document, with a link to it', () => {
    expect(asks(PLAIN, 'review_target=true').in({ review_target: REVIEW })).toMatchObject({
      question: { question: 'Review the Plan document, then choose the next action.', review_target: REVIEW },
    });
  });

  it('fails for good without a document that can be linked to', () => {
    const failure = { category: 'deterministic', message: expect.stringContaining('review_target') };
    expect(asks(PLAIN, 'review_target=true').in({})).toEqual({ failure });
    expect(asks(PLAIN, 'review_target=true').in({ review_target: { ...REVIEW, kind: 'image' } })).toEqual({ failure });
  });

  it('is the only one to look at the document', () => {
    expect(asks(PLAIN).in({ review_target: REVIEW })).not.toHaveProperty('question.review_target');
  });
});

it('a gate without a way on fails for good', () => {
  const { node } = aGate(PLAIN);
  expect(asked({ node, edges: [] })).toEqual({
    failure: { message: 'No outgoing edges for human gate', category: 'deterministic' },
  });
});
