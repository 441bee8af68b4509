import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const defaultChoiceExists: Rule = {
  id: 'default_choice_exists',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesOf('human')) {
      if (node.defaultChoice === undefined) continue;
      const { defaultChoice } = node;
      if (workflow.index.outgoing(node.id).some(({ to }) => to === defaultChoice)) continue;
      const message = `human.default_choice of node ${quote(node.id)} is ${quote(defaultChoice)}, to which it has no edge.`;
      yield workflow.onNode(node, message, { attribute: 'human.default_choice' });
    }
  },
};
