import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A loop may be ended by the breaker of repeated failures before it has used up its visits. */
export const repeatedFailureLimit: Rule = {
  id: 'repeated_failure_limit',
  severity: 'info',
  *check(workflow) {
    const { loopRestartSignatureLimit: limit } = workflow.graph.attributes;
    for (const node of workflow.nodesWith('max_visits')) {
      const { maxVisits = 0 } = node;
      if (maxVisits <= limit) continue;
      const message = `The same failure ${limit} times ends the run, though node ${quote(node.id)} may be visited ${maxVisits} times.`;
      const fix = `If that is too early, set loop_restart_signature_limit=${maxVisits} on the graph.`;
      yield workflow.onNode(node, message, { attribute: 'max_visits', fix });
    }
  },
};
