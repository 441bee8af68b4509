import { InvariantError } from '#libs/kernel';
import {
  GOAL_VARIABLE,
  type Graph,
  type GraphIndex,
  type HandlerKind,
  type InputValue,
  type Node,
} from '#libs/language';
import type { RunSpec } from '#libs/events';
import { HookList, type Hook } from './hook-list.js';
import { asksModel } from './node-kinds.js';
import { qualify } from './qualify.js';
import { scriptVariables } from './script-variables.js';
import { Workflow } from './workflow.js';

/** The part of a run's settings snapshot that the engine reads. */
interface ExecutionSettings {
  run: {
    goal: { value?: string } | null;
    execution: { mode: 'normal' | 'dry_run'; approval?: 'prompt' | 'auto' };
    environment: { env: Record<string, string> };
    inputs?: Record<string, InputValue>;
    agent?: { service_tools?: boolean };
    hooks?: readonly Hook[];
  };
}

/** What never changes about a run: its compiled graphs, its settings and what they say about execution. */
export class RunDefinition {
  readonly root: Workflow;
  readonly name: string;
  readonly goal: string;
  readonly dryRun: boolean;
  /** Questions are answered by the engine itself. */
  readonly autoApprove: boolean;
  /** Its commands may make runs and control them. */
  readonly managesRuns: boolean;
  readonly hooks: HookList;
  /** Environment variables of every command: the author's, the goal, and the inputs. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether models are asked, who are told what was done before. */
  readonly tellsHistory: boolean;
  /** By the prefix of their nodes. */
  private readonly workflows = new Map<string, Workflow>();
  private keys: ReadonlySet<string> | undefined;
  private lists: ReadonlySet<string> | undefined;

  constructor(
    readonly runId: string,
    spec: RunSpec,
    readonly sourceDirectory: string | null,
  ) {
    const graph = spec.graph as unknown as Graph;
    const { run } = spec.settings as unknown as ExecutionSettings;
    this.name = graph.name;
    this.goal = run.goal?.value ?? graph.attributes.goal;
    this.dryRun = run.execution.mode === 'dry_run';
    this.autoApprove = run.execution.approval === 'auto';
    this.managesRuns = run.agent?.service_tools ?? false;
    this.hooks = new HookList(this.dryRun ? [] : (run.hooks ?? []));
    this.env = { ...run.environment.env, ...scriptVariables(run.inputs ?? {}, this.goal).env };
    this.root = this.add('', graph, this.goal);
    this.tellsHistory = [...this.workflows.values()].some(({ graph: { nodes } }) => nodes.some(asksModel));
  }

  /** The run's own graph. */
  get index(): GraphIndex {
    return this.root.index;
  }

  workflow(prefix: string): Workflow {
    const workflow = this.workflows.get(prefix);
    if (!workflow) throw new InvariantError(`The run has no workflow "${prefix}".`);
    return workflow;
  }

  /** A node of any of the run's graphs. Ids of imported nodes hold dots too, so the longest prefix is asked first. */
  node(id: string): Node | undefined {
    for (let dot = id.lastIndexOf('.'); ; dot = id.lastIndexOf('.', dot - 1)) {
      const node = this.workflows.get(id.slice(0, dot + 1))?.node(id);
      if (node || dot <= 0) return node ?? this.root.node(id);
    }
  }

  /** Variables of the commands of a sub-workflow that stand in the place of the run's own: it has a goal of its own. */
  envOf(workflow: string): Readonly<Record<string, string>> {
    if (workflow === '') return {};
    const { env } = scriptVariables({}, this.workflow(workflow).goal);
    return { [GOAL_VARIABLE]: '', ...env };
  }

  readonly graphOf = (workflow: string): GraphIndex | undefined => this.workflows.get(workflow)?.index;

  readonly kindOf = (node: string): HandlerKind | undefined => this.node(node)?.kind;

  /** All nodes, also those of sub-workflows. */
  *nodes(): Iterable<Node> {
    for (const { graph } of this.workflows.values()) yield* graph.nodes;
  }

  /** Context keys whose lists branches go through. */
  get listKeys(): ReadonlySet<string> {
    return (this.lists ??= new Set([...this.workflows.values()].flatMap((workflow) => [...workflow.listKeys()])));
  }

  /** Context keys that the walk itself reads. */
  get keysRead(): ReadonlySet<string> {
    this.keys ??= new Set([...this.workflows.values()].flatMap((workflow) => [...workflow.keysRead()]));
    return this.keys;
  }

  private add(prefix: string, graph: Graph, goal: string): Workflow {
    const workflow = new Workflow(graph, goal, this.runId);
    this.workflows.set(prefix, workflow);
    for (const node of graph.nodes) {
      if (node.kind !== 'stack.manager_loop' || !('graph' in node.child)) continue;
      const below = `${node.id}.`;
      const child = qualify(node.child.graph, below);
      this.add(below, child, child.attributes.goal);
    }
    return workflow;
  }
}
