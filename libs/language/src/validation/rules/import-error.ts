import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

/** An import that is still there when the rules look was replaced by nobody. */
export const importError: Rule = {
  id: 'import_error',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodes) {
      if (!workflow.written(node).get('import')) continue;
      const message = `Unresolved import: node ${quote(node.id)} stands for another workflow, which is not resolved here.`;
      yield workflow.onNode(node, message, {
        attribute: 'import',
        fix: 'Write the nodes of that workflow themselves.',
      });
    }
  },
};
