import {
  initialState,
  RunDefinition,
  Walk,
  type AttemptResult,
  type Hook,
  type HookWork,
  type OpenStage,
  type Step,
  type HookDecision,
} from '#libs/engine';
import { aHook } from './a-hook.js';
import type { FailureCategory, StampedEvent } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { compile, type Graph } from '#libs/language';

const RUN_ID = '01J0000000000000000000000A';
const MIDNIGHT = Date.UTC(2030, 0, 1);

interface Circumstances {
  dryRun?: boolean;
  goal?: string;
  /** What the dice show. */
  random?: number;
  autoApprove?: boolean;
  hooks?: Partial<Hook>[];
  /** Changes the graph into what an older version may have stored. */
  stored?: (graph: Graph) => void;
  /** Nodes that ask a model instead of executing a command. */
  models?: string[];
}

/** The definition of a workflow whose nodes are commands where nothing else is written. */
export function aDefinition(statements: string, { models = [], ...rest }: Circumstances = {}): RunDefinition {
  const source = `digraph Spec {
    start [shape=Mdiamond] exit [shape=Msquare]
    ${models.map((id) => `${id} [shape=tab, prompt="Hi"]`).join(' ')}
    node [shape=parallelogram, script="true"]
    ${statements}
    ${namesOnEdges(statements).join(' ')}
  }`;
  return definitionOf(source, rest);
}

/** The definition of a whole workflow. */
export function definitionOf(
  source: string,
  { dryRun = false, autoApprove = false, goal, hooks = [], stored }: Omit<Circumstances, 'models'> = {},
): RunDefinition {
  const { graph, diagnostics } = compile(source);
  if (!graph) throw new Error(diagnostics[0]?.message);
  stored?.(graph);
  const run = {
    goal: goal === undefined ? null : { value: goal },
    execution: { mode: dryRun ? 'dry_run' : 'normal', approval: autoApprove ? 'auto' : 'prompt' },
    environment: { env: {} },
    hooks: hooks.map(aHook),
  };
  const spec = { graph: graph as unknown as JsonObject, settings: { run }, workflow_source: source };
  return new RunDefinition(RUN_ID, spec, null);
}

/** A node that only an edge mentions is declared too, so that specs need not. */
function namesOnEdges(statements: string): string[] {
  const bare = statements.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/\[[^\]]*\]/g, '');
  return [...new Set(bare.match(/\w+(?=\s*->)|(?<=->\s*)\w+/g))];
}

/** A run that nobody has begun yet. */
export function aRun(statements: string, circumstances: Circumstances = {}): ARun {
  return new ARun(aDefinition(statements, circumstances), [], 1, circumstances.random);
}

/**
 * What the stages of each node report, one result an attempt; the last one repeats. Other nodes succeed. Or a rule that
 * says it of every attempt.
 */
export type Script = Record<string, AttemptResult | AttemptResult[]> | ((stage: OpenStage) => AttemptResult);

/**
 * A run with the part of its worker played by the spec: it keeps the log, tells the time, throws the dice, and says how
 * stages end. What it returns are the new events, each as one sentence.
 */
export class ARun {
  /** One entry an append. */
  readonly appends: StampedEvent[][] = [];
  readonly walk: Walk;
  last: Step | undefined;
  now: number;
  /** The attempts that were handed out; only such an attempt can end. */
  private readonly asked = new Set<string>();
  /** Moments whose hooks have not said anything yet. */
  readonly hooksAsked: HookWork[] = [];
  private readonly tries = new Map<string, number>();

  constructor(
    readonly definition: RunDefinition,
    readonly past: readonly StampedEvent[],
    readonly epoch: number,
    public random = 0.5,
  ) {
    const now = (): number => this.now;
    const dice = (): number => this.random;
    this.now = past.length === 0 ? MIDNIGHT : Date.parse(past.at(-1)!.ts);
    const moment = {
      get now(): number {
        return now();
      },
      epoch,
      random: dice,
    };
    this.walk = new Walk(definition, initialState(definition.index.start.id), moment);
    for (const event of past) this.walk.hear(event);
  }

  get log(): StampedEvent[] {
    return [...this.past, ...this.appends.flat()];
  }

  /** The stage that is being executed, or rests. */
  get open(): OpenStage | undefined {
    return this.openPath?.stage;
  }

  /** The stages that are being executed, with the paths they are on. */
  get working(): { path: string; stage: OpenStage }[] {
    return this.openStages.filter(({ stage }) => stage.doing.what === 'working');
  }

  private get openStages(): { path: string; stage: OpenStage }[] {
    return Object.entries(this.walk.state.cursors).flatMap(([path, { position }]) =>
      position.at === 'stage' ? [{ path, stage: position.stage }] : [],
    );
  }

  /** The path on which the stage in question is: one that is being executed, else one that rests. */
  private get openPath(): { path: string; stage: OpenStage } | undefined {
    const rank = ({ stage: { doing } }: { stage: OpenStage }): number =>
      ['working', 'asking', 'waiting', 'backing_off', 'supervising', 'forked'].indexOf(doing.what);
    return this.openStages.sort((a, b) => rank(a) - rank(b))[0];
  }

  /** The stages in the order in which they were entered. */
  get path(): string[] {
    return [...new Set(this.log.flatMap(({ event, stage_id }) => (event === 'stage.started' ? [stage_id!] : [])))];
  }

  /** How the run ended, as one sentence. */
  get end(): string | undefined {
    const last = this.log.at(-1);
    return this.walk.state.phase === 'ended' && last ? say(last) : undefined;
  }

  private forgetHooks(id: string): void {
    const asked = this.hooksAsked.findIndex((work) => work.id === id);
    if (asked !== -1) this.hooksAsked.splice(asked, 1);
  }

  /** One append. */
  take(step: Step): string[] {
    this.last = step;
    for (const { stage } of step.work) this.asked.add(stage.attemptId);
    this.hooksAsked.push(...step.hooks);
    for (const id of step.stop) this.forgetHooks(id);
    if (step.events.length > 0) this.appends.push(step.events);
    return step.events.map(say);
  }

  /** The workspace is ready; the walk goes as far as it can. */
  begin(): string[] {
    return this.whole(this.walk.begin());
  }

  advance(): string[] {
    return this.whole(this.walk.advance());
  }

  /** The open stage ends. */
  ends(result: AttemptResult): string[] {
    return this.finishes(this.openPath?.path ?? '', result);
  }

  /** The stage that is open on this path ends. */
  finishes(path: string, result: AttemptResult): string[] {
    const stage = this.openStages.find((open) => open.path === path)?.stage;
    if (!stage || !this.asked.has(stage.attemptId))
      throw new Error(`Nobody was asked to execute a stage on "${path}".`);
    return this.whole(this.walk.finish(path, stage.id, result));
  }

  /** The hooks of a moment that waits for them, the oldest where none is named, say this. */
  hooksDecided(decision: HookDecision = { decision: 'proceed' }, work = this.hooksAsked[0]): string[] {
    if (!work) throw new Error('No hook was asked.');
    this.hooksAsked.splice(this.hooksAsked.indexOf(work), 1);
    return this.whole(this.walk.hooksDecided(work, decision));
  }

  /** Time passes, until the open stage has rested enough. */
  sleep(): string[] {
    this.now = Math.max(this.now, this.last?.wakeAt ?? 0);
    return this.advance();
  }

  /** Begins if need be and goes on until a stage of this node is open. */
  at(node: string, script: Script = {}): this {
    return this.until(() => this.open?.node === node, script);
  }

  /** Begins if need be and goes on to the end. */
  play(script: Script = {}): this {
    return this.until(() => false, script);
  }

  /** The worker is gone, and another one knows what was appended: everything, or only so many appends. */
  takenOver(appends = this.appends.length): ARun {
    const known = [...this.past, ...this.appends.slice(0, appends).flat()];
    return new ARun(this.definition, known, this.epoch + 1, this.random);
  }

  private until(reached: () => boolean, script: Script): this {
    if (this.walk.state.phase === 'created') this.begin();
    else if (!this.last) this.advance();
    while (this.walk.state.phase !== 'ended' && !reached()) {
      if (this.open?.doing.what === 'working') this.ends(this.resultOf(this.open, script));
      else this.sleep();
    }
    return this;
  }

  private resultOf(stage: OpenStage, script: Script): AttemptResult {
    if (typeof script === 'function') return script(stage);
    const { node } = stage;
    const results = [(Object.hasOwn(script, node) && script[node]) || ok()].flat();
    const earlier = this.tries.get(node) ?? 0;
    this.tries.set(node, earlier + 1);
    return results[Math.min(earlier, results.length - 1)]!;
  }

  private whole(step: Step): string[] {
    const said = this.take(step);
    return this.last!.more ? [...said, ...this.advance()] : said;
  }
}

type Reported = Extract<AttemptResult, { kind: 'outcome' }>;

export function ok(rest: Partial<Reported['outcome']> = {}): AttemptResult {
  return { kind: 'outcome', outcome: { status: 'succeeded', ...rest } };
}

/** A failed outcome: it may be routed on, and is not tried again. */
export function fails(
  message = 'Script failed with exit code: 3',
  category: FailureCategory = 'deterministic',
): AttemptResult {
  return { kind: 'outcome', outcome: { status: 'failed', failure: { message, category } } };
}

/** A failed outcome that asks for another attempt. */
export function wantsRetry(): AttemptResult {
  const failure = { message: 'no answer', category: 'transient_infra' } as const;
  return { kind: 'outcome', outcome: { status: 'failed', failure }, retryWanted: true };
}

/** A fault that may pass: it is tried again while attempts are left. */
export function faults(message = 'Script timed out after 100ms: make'): AttemptResult {
  return { kind: 'error', failure: { message, category: 'transient_infra' }, retryable: true };
}

/** An event as one sentence. */
export function say({ event, properties, stage_id = '' }: StampedEvent): string {
  switch (event) {
    case 'stage.started':
      return `${event} ${stage_id}${properties.attempt > 1 ? ` attempt ${properties.attempt}` : ''}`;
    case 'stage.waiting':
      return `${event} ${stage_id}`;
    case 'stage.completed':
      return `${event} ${stage_id} ${properties.status}`;
    case 'stage.failed':
      return `${event} ${stage_id}${properties.will_retry ? ', will retry' : ''}`;
    case 'stage.retrying':
      return `${event} ${stage_id} attempt ${properties.attempt} in ${properties.delay_ms} ms`;
    case 'edge.selected':
      return `${event} ${properties.from_node} -> ${properties.to_node}, ${properties.reason}`;
    case 'loop.restart':
      return `${event} ${properties.from_node} -> ${properties.to_node}`;
    case 'checkpoint.completed':
      return `${event} ${properties.ordinal}`;
    case 'run.completed':
      return `${event}: ${properties.reason}`;
    case 'run.failed':
      return `${event}: ${properties.failure.reason}, ${properties.failure.detail.message}`;
    default:
      return event;
  }
}
