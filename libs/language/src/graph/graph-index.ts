import { InvariantError } from '#libs/kernel';
import { type Edge } from './edge.js';
import { type Graph } from './graph.js';
import { type Node } from './node.js';

const NO_EDGES: readonly Edge[] = [];

/** A graph with its questions answered in constant time. Made once per graph, in time linear in it. */
export class GraphIndex {
  private readonly nodes: ReadonlyMap<string, Node>;
  private readonly edgesFrom: ReadonlyMap<string, readonly Edge[]>;
  private readonly edgesTo: ReadonlyMap<string, readonly Edge[]>;

  constructor(readonly graph: Graph) {
    this.nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    this.edgesFrom = groupEdges(graph.edges, 'from');
    this.edgesTo = groupEdges(graph.edges, 'to');
  }

  node(id: string): Node | undefined {
    return this.nodes.get(id);
  }

  /** Edges that leave a node, in the order of their declaration. */
  outgoing(id: string): readonly Edge[] {
    return this.edgesFrom.get(id) ?? NO_EDGES;
  }

  /** Edges that lead to a node, in the order of their declaration. */
  incoming(id: string): readonly Edge[] {
    return this.edgesTo.get(id) ?? NO_EDGES;
  }

  /** The one start node; every graph that {@link compile} gives has one. */
  get start(): Node {
    return this.only('start');
  }

  /** The one exit node; every graph that {@link compile} gives has one. */
  get exit(): Node {
    return this.only('exit');
  }

  private only(kind: 'start' | 'exit'): Node {
    const found = this.graph.nodes.find((node) => node.kind === kind);
    if (!found) throw new InvariantError(`Graph ${this.graph.name} has no ${kind} node.`);
    return found;
  }
}

function groupEdges(edges: readonly Edge[], end: 'from' | 'to'): ReadonlyMap<string, readonly Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const group = groups.get(edge[end]);
    if (group) group.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}
