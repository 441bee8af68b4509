import {
  compileCondition,
  GraphIndex,
  type Condition,
  type Edge,
  type Graph,
  type HandlerKind,
  type Node,
} from '#libs/language';
import type { Json } from '#libs/kernel';

const ANSWERING: ReadonlySet<HandlerKind> = new Set(['agent', 'prompt', 'parallel.fan_in']);

/** One graph that is walked: the run's own, or that of a manager's child. */
export class Workflow {
  readonly index: GraphIndex;
  /** Context that every walk of it begins with: `graph.<attribute>`. */
  readonly seeds: ReadonlyMap<string, Json>;
  private readonly conditions = new Map<string, Condition>();

  constructor(
    graph: Graph,
    readonly goal: string,
    runId: string,
  ) {
    this.index = new GraphIndex(graph);
    this.seeds = new Map<string, Json>([
      ...Object.entries(graph.rawAttributes).map(([key, value]): [string, Json] => [`graph.${key}`, String(value)]),
      ['graph.goal', goal],
      ['internal.run_id', runId],
    ]);
  }

  get graph(): Graph {
    return this.index.graph;
  }

  node(id: string): Node | undefined {
    return this.index.node(id);
  }

  /** Compiled once, evaluated at every visit. Validation has refused conditions that do not compile. */
  condition(text: string): Condition {
    let condition = this.conditions.get(text);
    if (!condition) {
      condition = compileCondition(text);
      this.conditions.set(text, condition);
    }
    return condition;
  }

  conditionOf(edge: Edge): Condition {
    return this.condition(edge.condition ?? '');
  }

  /** Context keys whose lists branches go through. */
  *listKeys(): Iterable<string> {
    for (const node of this.graph.nodes) {
      if (node.kind === 'parallel' && node.forEach !== undefined) yield node.forEach.replace(/^context\./, '');
    }
  }

  /** Context keys that the walk itself reads: in conditions, as the source of branches, and to show them with a question. */
  *keysRead(): Iterable<string> {
    for (const edge of this.graph.edges) {
      if (edge.condition !== undefined) yield* keysOf(this.conditionOf(edge));
    }
    for (const node of this.graph.nodes) if (node.kind === 'parallel' && node.forEach !== undefined) yield node.forEach;
    yield* this.listKeys();
    if (this.graph.nodes.some(({ kind }) => kind === 'parallel.fan_in')) yield 'parallel.results';
    yield* this.shownKeys();
    for (const node of this.graph.nodes) {
      if (node.kind === 'stack.manager_loop' && node.stopCondition !== undefined) {
        yield* keysOf(this.condition(node.stopCondition));
      }
    }
  }

  /** A human gate shows what the last model said, and what is to be reviewed. */
  private *shownKeys(): Iterable<string> {
    if (!this.graph.nodes.some(({ kind }) => kind === 'human')) return;
    yield 'review_target';
    for (const { id, kind } of this.graph.nodes) if (ANSWERING.has(kind)) yield `response.${id}`;
  }
}

/** A key may be called so with its prefix, too. */
function keysOf(condition: Condition): string[] {
  return condition.anyOf.flat().flatMap(({ key }) => [key, key.replace(/^context\./, '')]);
}
