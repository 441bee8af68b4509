import { type Edge } from './edge.js';

/** Edges by one of their ends, in the order of their declaration. */
export type EdgeGroups = ReadonlyMap<string, readonly Edge[]>;

export function groupEdges(edges: readonly Edge[], end: 'from' | 'to'): EdgeGroups {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const group = groups.get(edge[end]);
    if (group) group.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}
