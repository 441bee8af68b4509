import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const randomSelectionNoConditions: Rule = {
  id: 'random_selection_no_conditions',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('selection')) {
      if (node.selection !== 'random') continue;
      const conditional = workflow.index.outgoing(node.id).find((edge) => edge.condition !== undefined);
      if (!conditional) continue;
      const message = `Node ${quote(node.id)} selects at random, which cannot be combined with the condition on its edge to ${quote(conditional.to)}.`;
      yield workflow.onEdge(conditional, message, { attribute: 'condition' });
    }
  },
};
