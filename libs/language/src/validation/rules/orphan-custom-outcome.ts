import { quote } from '../../diagnostics/wording.js';
import { routingNodes } from '../checks/routing-nodes.js';
import { type Rule } from '../rule.js';

/** A clause that asks for one outcome, at the start of the condition or behind an operator. */
const OUTCOME_CLAUSE = /(?:^|[\s!&|])outcome\s*=/;

export const orphanCustomOutcome: Rule = {
  id: 'orphan_custom_outcome',
  severity: 'warning',
  *check(workflow) {
    for (const node of routingNodes(workflow)) {
      const outgoing = workflow.index.outgoing(node.id);
      if (outgoing.some((edge) => edge.condition === undefined)) continue;
      const routed = outgoing.find((edge) => OUTCOME_CLAUSE.test(edge.condition ?? ''));
      if (!routed) continue;
      const message = `Node ${quote(node.id)} routes on its outcome and has no way for any other outcome.`;
      yield workflow.onEdge(routed, message, { attribute: 'condition', fix: 'Add an edge without a condition.' });
    }
  },
};
