import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const scriptPromptConflict: Rule = {
  id: 'script_prompt_conflict',
  severity: 'error',
  *check(workflow) {
    for (const node of workflow.nodesWith('script')) {
      if (!workflow.written(node).get('prompt')) continue;
      const message = `Node ${quote(node.id)} has a script and a prompt; no handler reads both.`;
      yield workflow.onNode(node, message, { attribute: 'prompt', fix: 'Keep one, or make two nodes.' });
    }
  },
};
