import type { GraphIndex, Node } from '#libs/language';

/** Where a node's failure leads: its own target, its fallback, the graph's, the graph's fallback; unknown names are passed over. */
export function retryTargetOf(graph: GraphIndex, node: Node): string | undefined {
  const { retryTarget, fallbackRetryTarget } = graph.graph.attributes;
  return [node.retryTarget, node.fallbackRetryTarget, retryTarget, fallbackRetryTarget].find(
    (id) => id !== undefined && graph.node(id) !== undefined,
  );
}
