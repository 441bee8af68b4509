import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const startNoIncoming: Rule = {
  id: 'start_no_incoming',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('start')) {
      const [first, ...others] = workflow.index.incoming(node.id);
      if (!first) continue;
      yield workflow.onEdge(
        first,
        `The start node ${quote(node.id)} must have no incoming edge; it has ${others.length + 1}.`,
      );
    }
  },
};
