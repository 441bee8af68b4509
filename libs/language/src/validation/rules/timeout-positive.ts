import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A stage has no limit of time to switch off: one of 0 would end it before it begins. */
export const timeoutPositive: Rule = {
  id: 'timeout_positive',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('timeout')) {
      if (node.timeoutMs !== 0) continue;
      const message = `The timeout of node ${quote(node.id)} is 0, so it would run out of time at once.`;
      yield workflow.onNode(node, message, {
        attribute: 'timeout',
        fix: 'Give it a time, such as timeout=30s, or leave the attribute out.',
      });
    }
  },
};
