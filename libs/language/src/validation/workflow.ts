import { nearestName } from '#libs/kernel';
import { DraftAttributes } from '../graph/draft-attribute.js';
import { type Draft } from '../graph/draft.js';
import { type Edge } from '../graph/edge.js';
import { GraphIndex } from '../graph/graph-index.js';
import { type Graph, type Node } from '../graph/graph.js';
import { type HandlerKind, kindOfShape, kindOfType } from '../graph/handler-kind.js';
import { type Span } from '../source/source-text.js';
import { type ModelNames } from './model-names.js';
import { type Finding } from '../diagnostics/finding.js';

const MAX_SUGGESTIONS = 50;
const MAX_CANDIDATES = 1_000;
const NOTHING = new DraftAttributes();

type NodeOf<K extends HandlerKind> = Extract<Node, { kind: K }>;

interface Pointer {
  /** Points at the value of this attribute, where it was written. */
  attribute?: string;
  fix?: string;
}

/** What the rules look at: the graph, what was written for each part of it, and where. */
export class CheckedWorkflow {
  readonly index: GraphIndex;
  private readonly byKind = new Map<HandlerKind, Node[]>();
  private readonly nodesByAttribute = new Map<string, Node[]>();
  private readonly edgesByAttribute = new Map<string, Edge[]>();
  private suggestionsLeft = MAX_SUGGESTIONS;

  constructor(
    readonly draft: Draft,
    readonly graph: Graph,
    readonly models?: ModelNames,
  ) {
    this.index = new GraphIndex(graph);
    for (const node of graph.nodes) {
      addTo(this.byKind, node.kind, node);
      for (const { key } of this.written(node).all()) addTo(this.nodesByAttribute, key, node);
    }
    for (const edge of graph.edges) {
      for (const { key } of this.written(edge).all()) addTo(this.edgesByAttribute, key, edge);
    }
  }

  get nodes(): readonly Node[] {
    return this.graph.nodes;
  }

  get edges(): readonly Edge[] {
    return this.graph.edges;
  }

  /** The nodes on which an attribute is in force, in their order. Most attributes are rare, so most rules begin here. */
  nodesWith(attribute: string): readonly Node[] {
    return this.nodesByAttribute.get(attribute) ?? [];
  }

  /** The edges on which an attribute is in force, in their order. */
  edgesWith(attribute: string): readonly Edge[] {
    return this.edgesByAttribute.get(attribute) ?? [];
  }

  /** The nodes that one handler executes, in their order. */
  nodesOf<K extends HandlerKind>(kind: K): readonly NodeOf<K>[] {
    return (this.byKind.get(kind) ?? []) as NodeOf<K>[];
  }

  /** The attributes in force on a node or an edge. */
  written(part: Node | Edge): DraftAttributes {
    const draft = 'id' in part ? this.draft.nodes.get(part.id) : this.draft.edges[part.index];
    return draft?.attributes ?? NOTHING;
  }

  /** A node that a run enters only as the first of a parallel branch. */
  isOnlyBranch(id: string): boolean {
    const incoming = this.index.incoming(id);
    return incoming.length > 0 && incoming.every((edge) => this.isBranch(edge));
  }

  /** Whether the type or the shape that is written names a handler; what any other node would read, nobody knows. */
  hasKnownKind(node: Node): boolean {
    const type = this.written(node).text('type');
    return type === undefined ? kindOfShape.has(node.shape) : kindOfType.has(type);
  }

  isBranch(edge: Edge): boolean {
    return this.index.node(edge.from)?.kind === 'parallel';
  }

  onNode(node: Node, message: string, { attribute, fix }: Pointer = {}): Finding {
    const span = this.spanOf(this.written(node), attribute) ?? this.draft.nodes.get(node.id)!.span;
    return { message, span, nodeId: node.id, ...(fix !== undefined && { fix }) };
  }

  onEdge(edge: Edge, message: string, { attribute, fix }: Pointer = {}): Finding {
    const { from, to } = edge;
    const span = this.spanOf(this.written(edge), attribute) ?? this.draft.edges[edge.index]!.span;
    return { message, span, edge: { from, to }, ...(fix !== undefined && { fix }) };
  }

  onGraph(message: string, { attribute, fix }: Pointer = {}): Finding {
    const span = this.spanOf(this.draft.attributes, attribute) ?? this.draft.nameSpan;
    return { message, span, ...(fix !== undefined && { fix }) };
  }

  /** The fix for a misspelt node id. */
  suggestNode(id: string): { fix?: string } {
    return this.suggest(id, () => this.nodes.map((node) => node.id));
  }

  /** The fix for a misspelt name; nothing after many of them, so that checking stays linear. */
  suggest(name: string, candidates: () => readonly string[]): { fix?: string } {
    if (this.suggestionsLeft === 0) return {};
    this.suggestionsLeft--;
    const names = candidates();
    const nearest = names.length > MAX_CANDIDATES ? undefined : nearestName(name, names);
    return nearest === undefined ? {} : { fix: `Did you mean "${nearest}"?` };
  }

  private spanOf(attributes: DraftAttributes, key: string | undefined): Span | undefined {
    return key === undefined ? undefined : attributes.get(key)?.literal.span;
  }
}

function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}
