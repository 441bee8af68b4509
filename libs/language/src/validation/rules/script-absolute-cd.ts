import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

const ABSOLUTE_CD = /(?<![\w-])cd \//;

export const scriptAbsoluteCd: Rule = {
  id: 'script_absolute_cd',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesWith('script')) {
      if (!ABSOLUTE_CD.test(workflow.written(node).text('script') ?? '')) continue;
      const message = `The script of node ${quote(node.id)} changes to an absolute directory, which another sandbox may not have.`;
      yield workflow.onNode(node, message, {
        attribute: 'script',
        fix: 'Use a path relative to the working directory.',
      });
    }
  },
};
