import { quote } from '../../diagnostics/wording.js';
import { choiceKey } from '../../graph/choice-key.js';
import { type Rule } from '../rule.js';

/** People choose by the key of an option; where two labels propose the same one, the second gets a number. */
export const choiceKeysDistinct: Rule = {
  id: 'choice_keys_distinct',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesOf('human')) {
      const labels = new Map<string, string>();
      for (const edge of workflow.index.outgoing(node.id)) {
        if (edge.freeform) continue;
        const label = edge.label ?? edge.to;
        const key = choiceKey(label);
        const first = labels.get(key);
        if (first === undefined) labels.set(key, label);
        else {
          const message = `The choices ${quote(first)} and ${quote(label)} have the same key ${quote(key)}; the second gets a number.`;
          const fix = 'Name a key of its own in front of the label, such as "[X] …".';
          yield workflow.onEdge(edge, message, { attribute: 'label', fix });
          break;
        }
      }
    }
  },
};
