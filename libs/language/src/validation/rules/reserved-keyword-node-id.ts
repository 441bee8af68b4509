import { quote } from '../../diagnostics/wording.js';
import { type Rule } from '../rule.js';

const RESERVED: ReadonlySet<string> = new Set(['graph', 'digraph', 'subgraph', 'node', 'edge', 'strict', 'if']);

export const reservedKeywordNodeId: Rule = {
  id: 'reserved_keyword_node_id',
  severity: 'warning',
  *check(workflow) {
    for (const node of workflow.nodes) {
      if (!RESERVED.has(node.id.toLowerCase())) continue;
      yield workflow.onNode(
        node,
        `The node id ${quote(node.id)} is a reserved word; other readers of the source may take it for one.`,
      );
    }
  },
};
