import { namesIn } from '../graph/build-node.js';
import { type Node } from '../graph/graph.js';

/** Where a node's classes are written: in the labels of subgraphs around it, and in its own attribute. */
export interface WrittenClasses {
  subgraphs: readonly string[];
  /** `undefined`: it has no such attribute. */
  own: string | undefined;
}

const LABEL_OF_SUBGRAPH = /^[a-z0-9-]+$/;

/**
 * Writes a node's classes so that they come out in their order: those of subgraphs come first, then the node's own. An
 * imported node may have classes in an order, or of letters, that no subgraph gives; then its own attribute names all.
 */
export function writtenClasses({ classes, rawAttributes }: Node): WrittenClasses {
  const own = typeof rawAttributes['class'] === 'string' ? rawAttributes['class'] : undefined;
  const places = new Map([...new Set(namesIn(own ?? ''))].map((name, place) => [name, place]));
  let first = classes.length;
  for (let next = Infinity; first > 0; first--) {
    const place = places.get(classes[first - 1]!) ?? Infinity;
    if (place >= next) break;
    next = place;
  }
  const subgraphs = classes.slice(0, first);
  if (subgraphs.every((name) => LABEL_OF_SUBGRAPH.test(name))) return { subgraphs, own };
  return { subgraphs: [], own: classes.join(' ') };
}
