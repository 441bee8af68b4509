import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const allConditionalEdges: Rule = {
  id: 'all_conditional_edges',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodes) {
      const outgoing = workflow.index.outgoing(node.id);
      if (outgoing.length === 0 || outgoing.some((edge) => edge.condition === undefined)) continue;
      const message = `Every edge of node ${quote(node.id)} has a condition; when none holds, the run is stuck.`;
      yield workflow.onNode(node, message, { fix: 'Add an edge without a condition.' });
    }
  },
};
