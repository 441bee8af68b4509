import { type StageStatus } from '#libs/events';
import { type Direction, type Graph } from '#libs/language';
import { GraphTooLargeError } from './errors.js';
import { pictureOf, type NodeStates } from './picture.js';
import { type Caption } from './safe-svg.js';

/** Beyond, Graphviz takes minutes for what nobody can read. */
const MAX_NODES = 2_000;
const MAX_EDGES = 6_000;
/** What Graphviz takes grows faster than nodes and edges do: 2,000 nodes with 3,000 edges. */
const MAX_PRODUCT = 6_000_000;

/** What is drawn, and what is said to those who do not see it. */
export interface Subject {
  picture: ReturnType<typeof pictureOf>;
  caption: Caption;
}

export interface DrawingOptions {
  /** Replaces the direction of the workflow. */
  direction?: Direction | undefined;
  /** The run's progress; without it the drawing shows the workflow. */
  states?: NodeStates | undefined;
}

/** What is to be drawn of a graph. Throws a {@link GraphTooLargeError} for one that is more than can be drawn. */
export function subjectOf(graph: Graph, { direction, states }: DrawingOptions): Subject {
  requireDrawable(graph);
  const caption = { title: graph.name, description: descriptionOf(graph, states) };
  return { picture: pictureOf(graph, direction, states), caption };
}

function requireDrawable({ nodes: { length: nodes }, edges: { length: edges } }: Graph): void {
  if (nodes <= MAX_NODES && edges <= MAX_EDGES && nodes * edges <= MAX_PRODUCT) return;
  throw new GraphTooLargeError(
    `The graph has ${nodes} nodes and ${edges} edges; at most ${MAX_NODES} and ${MAX_EDGES} are drawn, and at most ${MAX_PRODUCT} as the product of both.`,
  );
}

/** The drawing in words. */
function descriptionOf({ nodes, edges }: Graph, states?: NodeStates): string {
  const size = `${counted(nodes.length, 'node')}, ${counted(edges.length, 'edge')}.`;
  if (!states) return size;
  const counts = new Map<StageStatus, number>();
  for (const state of states.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return `${size} ${[...counts].map(([state, count]) => `${count} ${state.replace('_', ' ')}`).join(', ')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
