import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** A branch is a whole path: it must be clear where it ends and the run goes on as one. */
export const parallelJoin: Rule = {
  id: 'parallel_join',
  severity: 'error',
  *check(workflow) {
    if (workflow.nodesOf('exit').length === 0) return;
    for (const node of workflow.nodesOf('parallel')) {
      if (node.join !== undefined || workflow.index.outgoing(node.id).length === 0) continue;
      const message = `The branches of the parallel node ${quote(node.id)} do not all meet before the exit.`;
      yield workflow.onNode(node, message, {
        fix: 'Lead every branch to one fan-in node (shape=tripleoctagon), and let none of them leave past it.',
      });
    }
  },
};
