import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

const SOURCES = ['stack.child_workflow', 'stack.child_dot_source'];

export const managerRequiresChild: Rule = {
  id: 'manager_requires_child',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('stack.manager_loop')) {
      const written = workflow.written(node);
      if (SOURCES.some((attribute) => written.words(attribute) !== undefined)) continue;
      const message = `The manager loop ${quote(node.id)} has no child workflow to run.`;
      yield workflow.onNode(node, message, {
        fix: 'Add stack.child_workflow="path/to/child.dot", or stack.child_dot_source.',
      });
    }
  },
};
