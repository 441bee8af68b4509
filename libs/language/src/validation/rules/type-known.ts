import { nearestName } from '#libs/kernel';
import { anyOf, quote, withArticle } from '../../diagnostics/wording.js';
import { kindOfType } from '../../graph/handler-kind.js';
import { type Rule } from '../rule.js';

export const typeKnown: Rule = {
  id: 'type_known',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesWith('type')) {
      const type = workflow.written(node).text('type');
      if (type === undefined || kindOfType.has(type)) continue;
      const nearest = nearestName(type, kindOfType.keys());
      const message = `Node ${quote(node.id)} has the unknown type ${quote(type)}; without it, it is ${withArticle(node.kind)} node.`;
      const fix = nearest === undefined ? `Use ${anyOf([...kindOfType.keys()])}.` : `Did you mean "${nearest}"?`;
      yield workflow.onNode(node, message, { attribute: 'type', fix });
    }
  },
};
