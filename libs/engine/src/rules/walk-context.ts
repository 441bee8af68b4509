import type { KeptMark, RunEvent } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { HookEvent } from '#libs/settings';
import type { HookPoint } from '../definition/hook-point.js';
import type { HookDecision } from '../hooks/hook-decision.js';
import type { Briefing } from '../preamble/briefing.js';
import type { AttemptResult } from '../stage/outcome.js';
import type { Agenda } from '../ready/agenda.js';
import type { ContextEntry } from '../state/context.js';
import type { RunDefinition } from '../definition/run-definition.js';
import type { Cursor, OpenStage, RunState } from '../state/state.js';
import type { Workflow } from '../definition/workflow.js';

/** What a decision may know of the world; rules read nothing else. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The epoch of the lease under which events are written. */
  readonly epoch: number;
  /** A number in [0, 1). What it decides is written into the event, so a replay needs no dice. */
  random(): number;
}

/** A stage that a worker has to execute now. Its `stage.started` must be durable before it has any outside effect. */
export interface StageWork {
  stage: OpenStage;
  /** The path on which it happens. */
  path: string;
  /** What a branch of `for_each` is about. */
  item?: BranchItem;
  /** What its model may be told; present where the node asks one. */
  briefing?: Briefing;
  /** What it reports, where that is known: then only its large values are to be kept elsewhere. */
  result?: AttemptResult;
}

export interface BranchItem {
  value: Json;
  /** Where in it references to kept values stand. */
  mark?: KeptMark;
  label: string;
  index: number;
}

/** What a rule of the walk is given: it reads the state, and speaks by stating events. */
export interface WalkContext {
  readonly definition: RunDefinition;
  readonly state: RunState;
  readonly moment: Moment;
  /** What waits for what, over all paths. */
  readonly agenda: Agenda;
  /** The path that is moved, and its name. */
  readonly path: string;
  readonly cursor: Cursor;
  /** The graph that this path walks. */
  readonly workflow: Workflow;
  /** Texts of kept values that the walk itself reads, by reference. */
  readonly resolved: ReadonlyMap<string, string>;
  /** What `for_each` stages go through, by stage. */
  readonly items: Map<string, BranchItem[]>;
  /**
   * A context value as this path sees it, a kept value as its text. Throws an {@link UnreadValueError} for one that is too
   * large to be read.
   */
  lookup(key: string): Json | undefined;
  /** As {@link lookup}, with where references stand inside of it. */
  entry(key: string): ContextEntry | undefined;
  /** Does something on another path. */
  on<T>(path: string, work: () => T): T;
  /** States an event: it is folded into the state at once and belongs to the append of this step. */
  say(event: RunEvent): void;
  /** What the hooks of a moment say; undefined while they are asked. */
  askHooks(event: HookEvent, point: () => Omit<HookPoint, 'event'>): HookDecision | undefined;
  /** Asks the worker to execute a stage. */
  execute(work: Omit<StageWork, 'path'>): void;
  /** Asks the worker, once, to keep large values of a result elsewhere and to hand it in; false: nothing moves before. */
  keep(stage: OpenStage, result: AttemptResult): false;
  /** Asks the worker to stop executing a stage whose outcome nobody waits for any more. */
  stop(stageId: string): void;
}
