import type { Graph, Node } from '#libs/language';

/** A child's graph with all its ids behind its manager's: `<manager>.<node>`, so that they are unique in the run. */
export function qualify(graph: Graph, prefix: string): Graph {
  const name = (id: string): string => prefix + id;
  const gates = new Set(graph.nodes.flatMap(({ id, kind }) => (kind === 'human' ? [id] : [])));
  return {
    ...graph,
    attributes: { ...graph.attributes, ...renamed(graph.attributes, ['retryTarget', 'fallbackRetryTarget'], name) },
    nodes: graph.nodes.map((node): Node => ({
      ...node,
      id: name(node.id),
      ...renamed(node, ['retryTarget', 'fallbackRetryTarget'], name),
      ...(node.kind === 'human' && renamed(node, ['defaultChoice'], name)),
      ...(node.kind === 'parallel' && renamed(node, ['join'], name)),
    })),
    edges: graph.edges.map((edge) => ({
      // People choose by the name that the author gave.
      ...(gates.has(edge.from) && { label: edge.to }),
      ...edge,
      from: name(edge.from),
      to: name(edge.to),
    })),
  };
}

function renamed<T extends object, Key extends keyof T>(
  from: T,
  keys: readonly Key[],
  name: (id: string) => string,
): Partial<Pick<T, Key>> {
  const present = keys.filter((key) => typeof from[key] === 'string');
  return Object.fromEntries(present.map((key) => [key, name(from[key] as string)])) as Partial<Pick<T, Key>>;
}
