import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

export const edgeTargetExists: Rule = {
  id: 'edge_target_exists',
  severity: 'error',
  *check(workflow) {
    const named = new Set<string>();
    for (const edge of workflow.edges) {
      for (const id of [edge.from, edge.to]) {
        if (named.has(id) || workflow.index.node(id)) continue;
        named.add(id);
        const message = `The edge ${edge.from} -> ${edge.to} refers to node ${quote(id)}, which is declared nowhere.`;
        const suggestion = workflow.suggestNode(id);
        yield workflow.onEdge(edge, message, {
          fix: suggestion.fix ?? `Declare it with a statement of its own: ${id};`,
        });
      }
    }
  },
};
