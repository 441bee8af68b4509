import { quote } from '../../diagnostics/wording.js';
import { type Edge } from '../../graph/edge.js';
import { type Rule } from '../rule.js';
import { type CheckedWorkflow } from '../workflow.js';

const NONE: readonly string[] = [];

export const edgeTargetExists: Rule = {
  id: 'edge_target_exists',
  severity: 'error',
  *check(workflow) {
    const named = new Set<string>();
    for (const edge of workflow.edges) {
      for (const id of missingEnds(workflow, edge)) {
        if (named.has(id)) continue;
        named.add(id);
        const message = `The edge ${edge.from} -> ${edge.to} refers to node ${quote(id)}, which is declared nowhere.`;
        const suggestion = workflow.suggestNode(id);
        yield workflow.onEdge(edge, message, {
          fix: suggestion.fix ?? `Declare it, such as ${id} [script="…"], or correct the edge.`,
        });
      }
    }
  },
};

function missingEnds({ index }: CheckedWorkflow, { from, to }: Edge): readonly string[] {
  if (index.node(from) && index.node(to)) return NONE;
  return [from, to].filter((id) => !index.node(id));
}
