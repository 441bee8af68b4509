import { quote } from '../../diagnostics/wording.js';
import { unknownModels } from '../checks/unknown-models.js';
import { type Rule } from '../rule.js';

/** What a node says itself; what the style sheet says for it has a rule of its own. */
export const nodeModelKnown: Rule = {
  id: 'node_model_known',
  severity: 'warning',
  *check(workflow) {
    const styles = new Set(workflow.draft.styles.flatMap((rule) => [...rule.all()]));
    for (const node of new Set([...workflow.nodesWith('model'), ...workflow.nodesWith('provider')])) {
      for (const { message, ...pointer } of unknownModels(workflow, workflow.written(node), styles)) {
        yield workflow.onNode(node, `Node ${quote(node.id)} ${message}`, pointer);
      }
    }
  },
};
