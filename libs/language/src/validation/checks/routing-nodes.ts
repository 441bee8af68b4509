import { type Node } from '../../graph/graph.js';
import { type CheckedWorkflow } from '../workflow.js';

/** The nodes that have an edge with a condition. */
export function routingNodes(workflow: CheckedWorkflow): ReadonlySet<Node> {
  const nodes = new Set<Node>();
  for (const { from, condition } of workflow.edgesWith('condition')) {
    const node = workflow.index.node(from);
    if (node && condition !== undefined) nodes.add(node);
  }
  return nodes;
}
