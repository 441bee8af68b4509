import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const waitRequiresDuration: Rule = {
  id: 'wait_requires_duration',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('wait')) {
      if (workflow.written(node).get('duration')) continue;
      yield workflow.onNode(node, `The wait node ${quote(node.id)} has no duration.`, {
        fix: 'Add duration=30s, for example.',
      });
    }
  },
};
