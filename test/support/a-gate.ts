import type { Question } from '#libs/events';
import type { Edge, HumanNode } from '#libs/language';
import { aDefinition } from './a-run.js';

/** A human gate `ask` and the edges that leave it. */
export interface Gate {
  node: HumanNode;
  edges: readonly Edge[];
}

/** A gate from what stands behind each `ask ->`. */
export function aGate(targets: readonly string[], attributes = ''): Gate {
  const leaving = targets.map((target) => `ask -> ${target}`).join('; ');
  const { index } = aDefinition(`ask [shape=hexagon, label="Ship it?" ${attributes}] start -> ask; ${leaving}`);
  return { node: index.node('ask') as HumanNode, edges: index.outgoing('ask') };
}

/** A question as it may have been asked. */
export function aQuestion(rest: Partial<Question> = {}): Question {
  return {
    question_id: '01J0000000000000000000000Q',
    question: 'Ship it?',
    stage: 'ask',
    question_type: 'multiple_choice',
    options: [
      { key: 'A', label: '[A] Approve' },
      { key: 'R', label: '[R] Reject' },
    ],
    allow_freeform: false,
    ...rest,
  };
}
