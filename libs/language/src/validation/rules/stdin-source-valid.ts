import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const stdinSourceValid: Rule = {
  id: 'stdin_source_valid',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('stdin_source')) {
      if (workflow.written(node).words('stdin_source') !== undefined) continue;
      const message = `stdin_source on node ${quote(node.id)} is empty or not a text.`;
      yield workflow.onNode(node, message, { attribute: 'stdin_source', fix: 'Name a context key.' });
    }
  },
};
