import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const commandRequiresScript: Rule = {
  id: 'command_requires_script',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesOf('command')) {
      if (node.script.trim() !== '') continue;
      yield workflow.onNode(node, `The command node ${quote(node.id)} has no script to run.`, {
        attribute: 'script',
        fix: 'Add script="…".',
      });
    }
  },
};
