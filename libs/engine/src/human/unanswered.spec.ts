import { expect, it } from '@jest/globals';
import { aGate, aQuestion } from '../../../../test/support/a-gate.js';
import { whenUnanswered } from './unanswered.js';

it('silence takes the default, as a node and not as a label', () => {
  const { node } = aGate(['ship', 'fix'], 'human.default_choice=fix');
  expect(whenUnanswered(node, aQuestion())).toEqual({
    kind: 'outcome',
    outcome: {
      status: 'succeeded',
      suggestedNextIds: ['fix'],
      contextUpdates: {
        'human.gate.selected': 'fix',
        'human.gate.label': 'fix',
        'human.gate.ask.question': 'Ship it?',
        'human.gate.ask.answer': 'timeout',
        'human.gate.ask.label': 'fix',
      },
    },
  });
});

it('silence without a default fails, names no way and asks for another try', () => {
  expect(whenUnanswered(aGate(['ship', 'fix']).node, aQuestion())).toEqual({
    kind: 'outcome',
    outcome: {
      status: 'failed',
      failure: {
        message: 'human gate timeout, no default',
        category: 'transient_infra',
        system_actor: 'timeout',
      },
    },
    retryWanted: true,
  });
});
