import type { Question } from '#libs/events';
import type { HumanNode } from '#libs/language';
import type { AttemptResult } from '../stage/outcome.js';
import { told } from './take-answer.js';

/** Nobody answered in time: the default choice, else a failure that asks for another try. It never counts as consent. */
export function whenUnanswered(node: HumanNode, question: Question): AttemptResult {
  const { defaultChoice } = node;
  if (defaultChoice === undefined) {
    const failure = {
      message: 'human gate timeout, no default',
      category: 'transient_infra',
      system_actor: 'timeout',
    } as const;
    return { kind: 'outcome', outcome: { status: 'failed', failure }, retryWanted: true };
  }
  const contextUpdates = {
    'human.gate.selected': defaultChoice,
    'human.gate.label': defaultChoice,
    ...told(node, question, 'timeout', defaultChoice),
  };
  const outcome = {
    status: 'succeeded',
    preferredLabel: defaultChoice,
    suggestedNextIds: [defaultChoice],
    contextUpdates,
  } as const;
  return { kind: 'outcome', outcome };
}
