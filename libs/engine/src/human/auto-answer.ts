import type { Question, QuestionAnswer } from '#libs/events';
import type { Edge, HumanNode } from '#libs/language';
import type { Outcome } from '../stage/outcome.js';
import { openChoicesOf, type IsOpen } from './options.js';
import { wayTo } from './way-to.js';

/** What the engine answers where a run asks for nobody's approval: yes, the first option, or a fixed text. */
export function automaticAnswer({ question_type, options: [first] = [] }: Question): QuestionAnswer {
  switch (question_type) {
    case 'yes_no':
    case 'confirmation':
      return { kind: 'yes' };
    case 'multiple_choice':
      return first ? { kind: 'selected', option_key: first.key } : { kind: 'text', text: 'auto-approved' };
    case 'multi_select':
      return { kind: 'multi_selected', option_keys: first ? [first.key] : [] };
    case 'freeform':
      return { kind: 'text', text: 'auto-approved' };
  }
}

/** What a dry run takes for the answer: the first option that leads somewhere, else the first edge. */
export function simulatedOutcome({ id }: HumanNode, edges: readonly Edge[], isOpen: IsOpen): Outcome {
  const [choice] = openChoicesOf(edges, isOpen);
  const [edge] = edges;
  return {
    status: 'succeeded',
    notes: `[Simulated] ${id}`,
    ...(choice ? wayTo(choice, edges) : edge && { suggestedNextIds: [edge.to] }),
  };
}
