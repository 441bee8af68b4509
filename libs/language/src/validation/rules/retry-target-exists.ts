import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const retryTargetExists: Rule = {
  id: 'retry_target_exists',
  severity: 'warning',
  *check(workflow) {
    for (const attribute of ['retry_target', 'fallback_retry_target']) {
      const ofGraph = workflow.draft.attributes.words(attribute);
      if (ofGraph !== undefined && !workflow.index.node(ofGraph)) {
        const message = `The graph's ${attribute} ${quote(ofGraph)} does not exist.`;
        yield workflow.onGraph(message, { attribute, ...workflow.suggestNode(ofGraph) });
      }
      for (const node of workflow.nodesWith(attribute)) {
        const target = workflow.written(node).words(attribute);
        if (target === undefined || workflow.index.node(target)) continue;
        const message = `The ${attribute} ${quote(target)} of node ${quote(node.id)} does not exist.`;
        yield workflow.onNode(node, message, { attribute, ...workflow.suggestNode(target) });
      }
    }
  },
};
