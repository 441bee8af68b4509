import { quote } from '../../diagnostics/wording.js';
import { routingNodes } from '../checks/routing-nodes.js';
import { type Rule } from '../rule.js';

export const allConditionalEdges: Rule = {
  id: 'all_conditional_edges',
  severity: 'error',
  *check(workflow) {
    for (const node of routingNodes(workflow)) {
      if (workflow.index.outgoing(node.id).some((edge) => edge.condition === undefined)) continue;
      const message = `Every edge of node ${quote(node.id)} has a condition; when none holds, the run is stuck.`;
      yield workflow.onNode(node, message, { fix: 'Add an edge without a condition.' });
    }
  },
};
