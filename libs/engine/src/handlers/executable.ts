import type { Graph, Node } from '#libs/language';
import type { HandlerTable } from './handler-table.js';

/** What a valid workflow asks for that this engine cannot execute: one sentence each, empty when it can run. */
export function unsupportedBy(graph: Graph, handlers: HandlerTable): string[] {
  return [...allNodes(graph)].map((node) => handlers.objectionTo(node)).filter((objection) => objection !== undefined);
}

/** The nodes of a graph and of the sub-workflows in it. */
function* allNodes(graph: Graph): Iterable<Node> {
  for (const node of graph.nodes) {
    yield node;
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) yield* allNodes(node.child.graph);
  }
}
