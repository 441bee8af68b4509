import type { Question } from '#libs/events';
import type { HumanNode } from '#libs/language';
import type { AttemptResult } from '../stage/outcome.js';
import { gateContext } from './gate-context.js';

/**
 * Nobody answered in time: the default choice, else a failure that asks for another try. The default names a node, so
 * it is a suggestion and no label; an edge that happens to be called like the node is not meant.
 */
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
  const gist = { selected: defaultChoice, label: defaultChoice, answer: 'timeout' };
  const contextUpdates = gateContext(node, question, gist);
  return { kind: 'outcome', outcome: { status: 'succeeded', suggestedNextIds: [defaultChoice], contextUpdates } };
}
