import { catalogue, type AttributeOwner } from '../graph/attribute-catalogue.js';
import { type Edge } from '../graph/edge.js';
import { type Graph, type Node } from '../graph/graph.js';
import { asGoal, asTemplate } from './as-template.js';
import { format } from './format.js';
import { literalText } from './literal-text.js';
import { writtenClasses } from './subgraph-classes.js';
import { writableIds } from './writable-ids.js';

/**
 * The source of a graph that {@link compile} gave, in canonical layout: compiled among the same files it gives the same
 * graph again. What was filled in stands in it: defaults, style sheet, files, rendered templates.
 *
 * Three things have no spelling of their own. An imported node gets an id without dots, and its old id for a label;
 * conditions, keys and style sheets that name it do not follow. A prompt that begins with `@`, as only a file can, is a
 * reference again. A token that is left in a script is replaced, if it has a value now.
 */
export function printGraph(graph: Graph): string {
  return format(new GraphSource(graph).text()).text!;
}

type Value = string | number | boolean;

/** Attributes that name nodes. */
const REFERENCES: ReadonlySet<string> = new Set(['retry_target', 'fallback_retry_target', 'human.default_choice']);
/** Ids behind which brackets do not hold the attributes of a node. */
const KEYWORDS: ReadonlySet<string> = new Set(['graph', 'node', 'edge']);

/** Nodes that follow each other in the same subgraphs. */
interface Group {
  subgraphs: readonly string[];
  /** It has defaults, which are those of its only node. */
  isAlone: boolean;
  ids: string[];
  statements: string[];
}

class GraphSource {
  private readonly ids: ReadonlyMap<string, string>;

  constructor(private readonly graph: Graph) {
    this.ids = writableIds(graph);
  }

  text(): string {
    const { name, edges } = this.graph;
    const sections = [this.graphAttributes(), ...this.groups().map(groupText), edges.map((edge) => this.edge(edge))];
    const body = sections.map((lines) => lines.join('\n')).join('\n\n');
    return `digraph ${name} {\n${body}\n}`;
  }

  private graphAttributes(): string[] {
    return Object.entries(this.graph.rawAttributes).map(([key, value]) => {
      const attribute = this.attribute('graph', key, value);
      return key.includes('.') ? `graph [${attribute}]` : attribute;
    });
  }

  private groups(): Group[] {
    const groups: Group[] = [];
    for (const node of this.graph.nodes) {
      const { subgraphs, own } = writtenClasses(node);
      const attributes = this.nodeAttributes(node, own);
      const id = this.idOf(node.id);
      const isAlone = KEYWORDS.has(id) && attributes !== '';
      let group = groups.at(-1);
      if (!group || group.isAlone || isAlone || !isSame(group.subgraphs, subgraphs)) {
        group = { subgraphs, isAlone, ids: [], statements: [] };
        groups.push(group);
      }
      group.ids.push(id);
      group.statements.push(isAlone ? `node [${attributes}]\n${id};` : `${id} ${attributes && `[${attributes}]`};`);
    }
    return groups;
  }

  private nodeAttributes({ id, rawAttributes }: Node, ownClasses: string | undefined): string {
    const attributes = new Map<string, Value>(Object.entries(rawAttributes));
    if (ownClasses !== undefined) attributes.set('class', ownClasses);
    if (this.idOf(id) !== id && !attributes.has('label')) attributes.set('label', id);
    return Array.from(attributes, ([key, value]) => this.attribute('node', key, value)).join(', ');
  }

  private edge({ from, to, label, condition, weight, fidelity, threadId, loopRestart, freeform }: Edge): string {
    const attributes: [string, Value | undefined][] = [
      ['label', label],
      ['condition', condition],
      ['weight', weight === 0 ? undefined : weight],
      ['fidelity', fidelity],
      ['thread_id', threadId],
      ['loop_restart', loopRestart || undefined],
      ['freeform', freeform || undefined],
    ];
    const written = attributes.flatMap(([key, value]) =>
      value === undefined ? [] : [this.attribute('edge', key, value)],
    );
    return `${this.idOf(from)} -> ${this.idOf(to)} [${written.join(', ')}]`;
  }

  private attribute(owner: AttributeOwner, key: string, value: Value): string {
    const written = typeof value === 'string' ? this.textOf(owner, key, value) : value;
    return `${key}=${literalText(written, catalogue[owner].get(key)?.type)}`;
  }

  private textOf(owner: AttributeOwner, key: string, text: string): string {
    if (REFERENCES.has(key)) return this.idOf(text);
    if (owner === 'graph' && key === 'goal') return asGoal(text);
    return owner === 'node' && key === 'prompt' ? asTemplate(text) : text;
  }

  private idOf(id: string): string {
    return this.ids.get(id) ?? id;
  }
}

/** A node gets the classes of subgraphs in the order in which they mention it. */
function groupText({ subgraphs, isAlone, ids, statements }: Group): string[] {
  const [first, ...others] = subgraphs;
  if (first === undefined) return isAlone ? ['subgraph {', ...statements, '}'] : statements;
  const mentions = ids.map((id) => `${id};`);
  return [...subgraph(first, statements), ...others.flatMap((name) => subgraph(name, mentions))];
}

function subgraph(label: string, statements: readonly string[]): string[] {
  return ['subgraph {', `label=${literalText(label, 'string')}`, ...statements, '}'];
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, at) => name === others[at]);
}
