import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const goalGateHasRetry: Rule = {
  id: 'goal_gate_has_retry',
  severity: 'warning',
  *check(workflow) {
    const ofGraph = workflow.graph.attributes.retryTarget ?? workflow.graph.attributes.fallbackRetryTarget;
    for (const node of workflow.nodesWith('goal_gate')) {
      if (!node.goalGate || (node.retryTarget ?? node.fallbackRetryTarget ?? ofGraph) !== undefined) continue;
      const message = `The goal gate ${quote(node.id)} has no retry target: when it is not met, the run fails.`;
      yield workflow.onNode(node, message, {
        attribute: 'goal_gate',
        fix: 'Set retry_target on the node or on the graph.',
      });
    }
  },
};
