import { type Graph } from '../graph/graph.js';

/**
 * The ids of a graph as a source can write them. An imported node has dots in its id: they become `_`, with more of
 * them behind when the name is taken.
 */
export function writableIds({ nodes }: Graph): ReadonlyMap<string, string> {
  const taken = new Set(nodes.map(({ id }) => id));
  const written = new Map<string, string>();
  for (const { id } of nodes) {
    let name = id.replaceAll('.', '_');
    while (name !== id && taken.has(name)) name += '_';
    taken.add(name);
    written.set(id, name);
  }
  return written;
}
