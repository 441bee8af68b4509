import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const promptOnLlmNodes: Rule = {
  id: 'prompt_on_llm_nodes',
  severity: 'warning',
  *check(workflow) {
    for (const node of [...workflow.nodesOf('agent'), ...workflow.nodesOf('prompt')]) {
      if (node.prompt !== node.id && node.prompt.trim() !== '') continue;
      const written = workflow.written(node);
      if (written.get('import')) continue;
      if (written.words('prompt') !== undefined || written.words('label') !== undefined) continue;
      const message = `The ${node.kind} node ${quote(node.id)} has no prompt and no label; the model would be told only its id.`;
      yield workflow.onNode(node, message, { fix: 'Give it a prompt.' });
    }
  },
};
