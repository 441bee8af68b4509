import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const freeformEdgeCount: Rule = {
  id: 'freeform_edge_count',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('human')) {
      const freeform = workflow.index.outgoing(node.id).filter((edge) => edge.freeform);
      if (freeform.length < 2) continue;
      const message = `The human node ${quote(node.id)} has ${freeform.length} freeform edges; at most one is allowed.`;
      yield workflow.onEdge(freeform[1]!, message, { attribute: 'freeform' });
    }
  },
};
