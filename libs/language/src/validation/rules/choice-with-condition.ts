import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A condition decides before the person does: a choice that has one is not offered while it is false. */
export const choiceWithCondition: Rule = {
  id: 'choice_with_condition',
  severity: 'warning',
  *check(workflow) {
    for (const edge of workflow.edgesWith('condition')) {
      if (edge.condition === undefined || (edge.label === undefined && !edge.freeform)) continue;
      if (workflow.index.node(edge.from)?.kind !== 'human') continue;
      const message = `The choice ${quote(edge.label ?? edge.to)} has a condition: it is not offered while that is false, and while it is true the run goes there whatever else is chosen.`;
      yield workflow.onEdge(edge, message, {
        attribute: 'condition',
        fix: 'Decide before the human node or behind it, with conditions on the edges of a diamond.',
      });
    }
  },
};
