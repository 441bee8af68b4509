import type { Graph, Node } from '#libs/language';
import type { HandlerTable } from '../handlers/handler-table.js';

/** What a valid workflow asks for that this engine cannot execute: one sentence each, empty when it can run. */
export function unsupportedBy(graph: Graph, handlers: HandlerTable): string[] {
  return [...allNodes(graph)].filter((node) => !handlers.supports(node)).map(objectionTo);
}

function objectionTo(node: Node): string {
  if (node.kind === 'agent' && node.backend.type === 'acp')
    return `Node "${node.id}" wants an external agent (backend=acp), which this server cannot start.`;
  return `Node "${node.id}" is of kind "${node.kind}", for which this server has no handler.`;
}

/** The nodes of a graph and of the sub-workflows in it. */
function* allNodes(graph: Graph): Iterable<Node> {
  for (const node of graph.nodes) {
    yield node;
    if (node.kind === 'stack.manager_loop' && 'graph' in node.child) yield* allNodes(node.child.graph);
  }
}
