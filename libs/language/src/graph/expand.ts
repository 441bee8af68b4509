import { assertNever } from '#libs/kernel';
import { CompileState } from '../compile-state.js';
import { quote } from '../diagnostics/wording.js';
import { type Span } from '../source/source-text.js';
import { type StatementReader } from '../syntax/parser.js';
import {
  type Attribute,
  type Document,
  type EdgeStatement,
  type Identifier,
  type NodeStatement,
  type DotStatement,
  type Subgraph,
} from '../syntax/tree.js';
import { type AttributeOwner } from './attribute-catalogue.js';
import { lacksUnit } from './coerce.js';
import { draftAttribute, DraftAttributes, type DraftAttribute } from './draft-attribute.js';
import { type Draft, type DraftNode } from './draft.js';

/** The rule that reports a node whose declarations contradict each other. */
export const NODE_DECLARED_TWICE = 'node_declared_twice';

/** What holds for the statements of one block. Blocks copy it, so that nothing leaks outward. */
interface Scope {
  nodeDefaults: DraftAttributes;
  edgeDefaults: DraftAttributes;
  /** The class a subgraph gives to its own nodes, not to those of blocks inside it. */
  className: string | undefined;
  isSubgraph: boolean;
}

/** The draft of a whole tree. */
export function expand(document: Document, state = new CompileState()): Draft {
  const expansion = new Expansion(state);
  expansion.begin(document.name);
  for (const statement of document.statements) expansion.statement(statement);
  return expansion.draft;
}

const NOTHING_WRITTEN: readonly DraftAttribute[] = [];
/** Most edges have none, so they share this. */
const NO_ATTRIBUTES = new DraftAttributes();

/**
 * Resolves defaults, subgraphs and chained edges, in the order of the source: defaults reach what is written behind
 * them in their block, a node takes them when it is first mentioned, an edge when it is declared.
 */
export class Expansion implements StatementReader {
  readonly draft: Draft;
  private readonly outermost: Scope = {
    nodeDefaults: new DraftAttributes(),
    edgeDefaults: new DraftAttributes(),
    className: undefined,
    isSubgraph: false,
  };

  constructor(state: CompileState) {
    const attributes = new DraftAttributes();
    const nowhere = { start: 0, end: 0 };
    this.draft = {
      state,
      name: '',
      nameSpan: nowhere,
      attributes,
      nodes: new Map(),
      edges: [],
      hasBraces: false,
      doubtful: [],
      styles: [],
    };
  }

  begin({ text, span }: Identifier): void {
    this.draft.name = text;
    this.draft.nameSpan = span;
  }

  statement(statement: DotStatement): void {
    this.within(statement, this.outermost);
  }

  private block(statements: readonly DotStatement[], scope: Scope): void {
    for (const statement of statements) this.within(statement, scope);
  }

  private within(statement: DotStatement, scope: Scope): void {
    switch (statement.type) {
      case 'graph attributes':
        return this.graphAttributes(statement.attributes, scope);
      case 'assignment':
        return this.graphAttributes([statement.attribute], scope);
      case 'node defaults':
        scope.nodeDefaults.put(this.write('node', statement.attributes, true));
        return;
      case 'edge defaults':
        scope.edgeDefaults.put(this.write('edge', statement.attributes, true));
        return;
      case 'node':
        return this.node(statement, scope);
      case 'edge':
        return this.edges(statement, scope);
      case 'subgraph':
        return this.block(statement.statements, {
          nodeDefaults: this.copy(scope.nodeDefaults, statement.span),
          edgeDefaults: this.copy(scope.edgeDefaults, statement.span),
          className: classOf(statement),
          isSubgraph: true,
        });
      default:
        return assertNever(statement);
    }
  }

  /** A subgraph has no attributes of its own: what it writes is the graph's, but for the label that names its class. */
  private graphAttributes(attributes: readonly Attribute[], { isSubgraph }: Scope): void {
    const written = this.write('graph', attributes);
    this.draft.attributes.put(isSubgraph ? written.filter(({ key }) => key !== 'label') : written);
  }

  private node({ id, attributes }: NodeStatement, scope: Scope): void {
    const node = this.mention(id, scope);
    if (!node.declared) node.span = id.span;
    const written = this.write('node', attributes);
    if (node.declared) this.compare(node, written);
    node.declared = true;
    node.attributes.put(written);
  }

  /** A later declaration may add to an earlier one; where it says something else, one of them is most likely a mistake. */
  private compare({ id, attributes }: DraftNode, written: readonly DraftAttribute[]): void {
    for (const { key, literal, writtenKey } of written) {
      const earlier = attributes.get(key);
      if (!earlier || earlier.isDefault || earlier.literal.text === literal.text) continue;
      this.draft.state.find(NODE_DECLARED_TWICE, {
        message: `Node ${quote(id)} is declared twice with another ${key}: ${quote(literal.text)} replaces ${quote(earlier.literal.text)}.`,
        span: writtenKey.span,
        nodeId: id,
        fix: 'Give one of them an id of its own, or leave one out.',
        related: [{ message: 'The earlier declaration.', span: earlier.writtenKey.span }],
      });
    }
  }

  private edges({ nodes, attributes }: EdgeStatement, scope: Scope): void {
    const written = this.write('edge', attributes);
    const plain = written.length === 0 && scope.edgeDefaults.textSize === 0;
    const shared = plain ? NO_ATTRIBUTES : this.copy(scope.edgeDefaults, nodes[0]!.span).put(written);
    const { state, edges } = this.draft;
    let from = this.mention(nodes[0]!, scope);
    for (let at = 1; at < nodes.length; at++) {
      const to = this.mention(nodes[at]!, scope);
      const span: Span = { start: nodes[at - 1]!.span.start, end: nodes[at]!.span.end };
      const attributes = state.mayCopy(shared.textSize, span) ? shared : NO_ATTRIBUTES;
      edges.push({ from: from.id, to: to.id, span, attributes });
      from = to;
    }
  }

  private mention(identifier: Identifier, { nodeDefaults, className }: Scope): DraftNode {
    const { text: id } = identifier;
    let node = this.draft.nodes.get(id);
    if (!node) {
      const { span } = identifier;
      const attributes = this.copy(nodeDefaults, span);
      node = { id, span, declared: false, attributes };
      this.draft.nodes.set(id, node);
    }
    if (className !== undefined && this.draft.state.mayCopy(className.length, identifier.span)) {
      (node.subgraphClasses ??= new Set()).add(className);
    }
    return node;
  }

  private copy(defaults: DraftAttributes, at: Span): DraftAttributes {
    return new DraftAttributes(this.draft.state.mayCopy(defaults.textSize, at) ? defaults : undefined);
  }

  private write(owner: AttributeOwner, attributes: readonly Attribute[], isDefault = false): readonly DraftAttribute[] {
    if (attributes.length === 0) return NOTHING_WRITTEN;
    const drafted = attributes.map((attribute) => draftAttribute(owner, attribute, isDefault));
    for (const attribute of drafted) {
      this.draft.hasBraces ||= attribute.literal.text.includes('{');
      if (isDoubtful(attribute)) this.draft.doubtful.push(attribute);
    }
    return drafted;
  }
}

function isDoubtful({ declaration, typed, literal }: DraftAttribute): boolean {
  return !declaration || !typed || (typed.type === 'duration' && lacksUnit(literal, declaration.type));
}

/** The first label of a subgraph as a class name: lower case, spaces to hyphens, other signs dropped. */
function classOf({ statements }: Subgraph): string | undefined {
  const label = statements.flatMap(graphAttributesOf).find(({ key }) => key.text === 'label');
  const name = label?.value.text
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^a-z0-9-]/g, '');
  return name === '' ? undefined : name;
}

function graphAttributesOf(statement: DotStatement): Attribute[] {
  if (statement.type === 'assignment') return [statement.attribute];
  return statement.type === 'graph attributes' ? statement.attributes : [];
}
