import type { Edge, Fidelity, Graph, Node } from '#libs/language';

/** How much a model is told: the edge that led to its node decides, then the node, then its fork, then the graph. */
export function fidelityOf(
  arrivedBy: Edge | undefined,
  node: Node,
  { attributes }: Graph,
  ofFork: Fidelity | undefined,
): Fidelity {
  return arrivedBy?.fidelity ?? node.fidelity ?? ofFork ?? attributes.defaultFidelity ?? 'compact';
}

/** Which conversation a node with full fidelity goes on with. */
export function threadOf(
  arrivedBy: Edge | undefined,
  node: Node,
  { attributes }: Graph,
  previousNode: string | undefined,
): string | null {
  return arrivedBy?.threadId ?? node.threadId ?? attributes.defaultThread ?? node.classes[0] ?? previousNode ?? null;
}
