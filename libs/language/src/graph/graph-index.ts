import { InvariantError } from '#libs/kernel';
import { type Edge } from './edge.js';
import { groupEdges, type EdgeGroups } from './edge-groups.js';
import { type Graph, type Node } from './graph.js';

const NO_EDGES: readonly Edge[] = [];

/** A graph with its questions answered in constant time. The first question of a kind takes time linear in the graph. */
export class GraphIndex {
  private readonly nodes = new Map<string, Node>();
  private edgesFrom: EdgeGroups | undefined;
  private edgesTo: EdgeGroups | undefined;

  constructor(readonly graph: Graph) {
    for (const node of graph.nodes) this.nodes.set(node.id, node);
  }

  node(id: string): Node | undefined {
    return this.nodes.get(id);
  }

  /** Edges that leave a node, in the order of their declaration. */
  outgoing(id: string): readonly Edge[] {
    this.edgesFrom ??= groupEdges(this.graph.edges, 'from');
    return this.edgesFrom.get(id) ?? NO_EDGES;
  }

  /** Edges that lead to a node, in the order of their declaration. */
  incoming(id: string): readonly Edge[] {
    this.edgesTo ??= groupEdges(this.graph.edges, 'to');
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
