import { type StageStatus } from '#libs/events';
import { type Direction, type Graph } from '#libs/language';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { GraphTooLargeError } from './errors.js';
import { compiledLayout, layOut, type LayoutProgram } from './layout.js';
import { pictureOf, type NodeStates } from './picture.js';
import { safeSvg } from './safe-svg.js';

const AT_ONCE = 4;
const MAY_WAIT = 32;
const LIMIT_MS = 15_000;
/** Beyond, Graphviz takes minutes for what nobody can read. */
const MAX_NODES = 2_000;
const MAX_EDGES = 6_000;

export interface DrawingOptions {
  /** Replaces the direction of the workflow. */
  direction?: Direction | undefined;
  /** The run's progress; without it the drawing shows the workflow. */
  states?: NodeStates | undefined;
}

/** Draws graphs as SVG that is safe to show in a page: no script, no link, no outside reference. */
export class Drawings {
  private readonly limit = new ConcurrencyLimit(AT_ONCE, MAY_WAIT);

  constructor(private readonly program: LayoutProgram = compiledLayout()) {}

  /**
   * Throws {@link GraphTooLargeError} for a graph of more than 2,000 nodes or 6,000 edges, or one that takes longer than
   * 15 seconds, and {@link TooManyDrawingsError} when too many drawings wait.
   */
  async draw(graph: Graph, { direction, states }: DrawingOptions = {}): Promise<string> {
    const { name, nodes, edges } = graph;
    if (nodes.length > MAX_NODES || edges.length > MAX_EDGES) {
      throw new GraphTooLargeError(
        `The graph has ${nodes.length} nodes and ${edges.length} edges; at most ${MAX_NODES} and ${MAX_EDGES} are drawn.`,
      );
    }
    const picture = pictureOf(graph, direction, states);
    const drawn = await this.limit.run(() => layOut(picture, this.program, LIMIT_MS));
    return safeSvg(drawn, { title: name, description: descriptionOf(graph, states) });
  }
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
