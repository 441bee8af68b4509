import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const maxRetriesValid: Rule = {
  id: 'max_retries_valid',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('max_retries')) {
      const written = workflow.written(node).integer('max_retries') ?? 0;
      if (written >= 0) continue;
      const message = `max_retries of node ${quote(node.id)} is ${written}: there is nothing below no retries.`;
      yield workflow.onNode(node, message, { attribute: 'max_retries', fix: 'Write max_retries=0 for none.' });
    }
  },
};
