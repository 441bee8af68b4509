import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const exitNoOutgoing: Rule = {
  id: 'exit_no_outgoing',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('exit')) {
      const [first, ...others] = workflow.index.outgoing(node.id);
      if (!first) continue;
      yield workflow.onEdge(
        first,
        `The exit node ${quote(node.id)} must have no outgoing edge; it has ${others.length + 1}.`,
      );
    }
  },
};
