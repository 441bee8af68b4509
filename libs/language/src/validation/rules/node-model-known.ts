import { quote } from '../../diagnostics/wording.js';
import { unknownModel } from '../checks/unknown-model.js';
import { type Rule } from '../rule.js';

/** What a node says itself; what the style sheet says has a rule of its own. */
export const nodeModelKnown: Rule = {
  id: 'node_model_known',
  severity: 'warning',
  *check(workflow) {
    const { models, draft } = workflow;
    if (!models) return;
    const styles = new Set(draft.styles);
    for (const attribute of ['model', 'provider'] as const) {
      for (const node of workflow.nodesWith(attribute)) {
        const written = workflow.written(node);
        const name = written.words(attribute);
        if (name === undefined || styles.has(written.get(attribute)!)) continue;
        const problem = unknownModel(models, attribute, name, written.words('provider'));
        if (problem !== undefined) yield workflow.onNode(node, `Node ${quote(node.id)} ${problem}`, { attribute });
      }
    }
  },
};
