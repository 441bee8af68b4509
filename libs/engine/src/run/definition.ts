import { compileCondition, GraphIndex, type Condition, type Edge, type Graph, type HandlerKind } from '#libs/language';
import type { Json } from '#libs/kernel';
import type { RunSpec } from '#libs/events';

/** The part of a run's settings snapshot that the engine reads. */
interface ExecutionSettings {
  run: {
    goal: { value?: string } | null;
    execution: { mode: 'normal' | 'dry_run' };
    environment: { env: Record<string, string> };
  };
}

/** What never changes about a run: its compiled graph, its settings and what they say about execution. */
export class RunDefinition {
  readonly index: GraphIndex;
  readonly name: string;
  readonly goal: string;
  readonly dryRun: boolean;
  /** Environment variables of every command. */
  readonly env: Readonly<Record<string, string>>;
  /** Context every path begins with: `graph.<attribute>`. */
  readonly seeds: ReadonlyMap<string, Json>;
  private readonly conditions = new Map<string, Condition>();
  private keys: ReadonlySet<string> | undefined;

  constructor(
    readonly runId: string,
    spec: RunSpec,
    readonly sourceDirectory: string | null,
  ) {
    const graph = spec.graph as unknown as Graph;
    this.index = new GraphIndex(graph);
    this.name = graph.name;
    const { run } = spec.settings as unknown as ExecutionSettings;
    this.goal = run.goal?.value ?? graph.attributes.goal;
    this.dryRun = run.execution.mode === 'dry_run';
    this.env = run.environment.env;
    this.seeds = new Map<string, Json>([
      ...Object.entries(graph.rawAttributes).map(([key, value]): [string, Json] => [`graph.${key}`, String(value)]),
      ['graph.goal', this.goal],
      ['internal.run_id', runId],
    ]);
  }

  readonly kindOf = (node: string): HandlerKind | undefined => this.index.node(node)?.kind;

  /** Context keys that some condition asks about. */
  get conditionKeys(): ReadonlySet<string> {
    this.keys ??= new Set(
      this.index.graph.edges.flatMap((edge) =>
        edge.condition === undefined
          ? []
          : this.conditionOf(edge)
              .anyOf.flat()
              .map(({ key }) => key.replace(/^context\./, '')),
      ),
    );
    return this.keys;
  }

  /** Compiled once, evaluated at every visit. Validation has refused conditions that do not compile. */
  conditionOf(edge: Edge): Condition {
    const text = edge.condition ?? '';
    let condition = this.conditions.get(text);
    if (!condition) {
      condition = compileCondition(text);
      this.conditions.set(text, condition);
    }
    return condition;
  }
}
