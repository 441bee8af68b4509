import { nearestName } from '#libs/kernel';
import { anyOf, quote } from '../../diagnostics/wording.js';
import { kindOfShape } from '../../graph/handler-kind.js';
import { type Rule } from '../rule.js';

/** An unknown shape runs as an agent: a model is asked where the author may have wanted something else. */
export const shapeKnown: Rule = {
  id: 'shape_known',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodesWith('shape')) {
      if (node.kind !== 'agent' || kindOfShape.has(node.shape) || workflow.written(node).text('type') === 'agent')
        continue;
      const nearest = nearestName(node.shape, kindOfShape.keys());
      const message = `Node ${quote(node.id)} has the shape ${quote(node.shape)}, which names no handler; it runs as an agent.`;
      const fix = nearest === undefined ? `Use ${anyOf([...kindOfShape.keys()])}.` : `Did you mean "${nearest}"?`;
      yield workflow.onNode(node, message, { attribute: 'shape', fix });
    }
  },
};
