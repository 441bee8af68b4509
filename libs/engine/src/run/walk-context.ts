import type { RunEvent } from '#libs/events';
import type { RunDefinition } from './definition.js';
import type { Cursor, OpenStage, RunState } from './state.js';

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
  /** The attempt of a lost worker whose work may still go on, or be done, in the sandbox. */
  lostAttemptId?: string;
}

/** What a rule of the walk is given: it reads the state, and speaks by stating events. */
export interface WalkContext {
  readonly definition: RunDefinition;
  readonly state: RunState;
  readonly moment: Moment;
  readonly cursor: Cursor;
  /** Texts of kept values that conditions may ask about, by reference. */
  readonly resolved: ReadonlyMap<string, string>;
  /** States an event: it is folded into the state at once and belongs to the append of this step. */
  say(event: RunEvent): void;
  /** Asks the worker to execute a stage. */
  execute(work: StageWork): void;
}
