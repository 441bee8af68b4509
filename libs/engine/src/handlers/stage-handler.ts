import type { RunEvent } from '#libs/events';
import type { HandlerKind, Node } from '#libs/language';
import type { ModelMessage } from '../ports/model.js';
import type { Sandbox } from '../ports/sandbox.js';
import type { Briefing } from '../preamble/briefing.js';
import type { OpenStage } from '../state/state.js';
import type { BranchItem } from '../rules/walk-context.js';
import type { AttemptResult } from '../stage/outcome.js';

/** One attempt of one stage, as its handler gets it. */
export interface StageTask<Kind extends HandlerKind = HandlerKind> {
  node: Extract<Node, { kind: Kind }>;
  stage: OpenStage;
  dryRun: boolean;
  /** Variables of its command that stand in the place of the run's own. */
  env?: Readonly<Record<string, string>>;
  /** What a branch of `for_each` is about. */
  item?: BranchItem;
  /** What its model may be told; present where the node asks one. */
  briefing?: Briefing;
  /**
   * A context value by its flat key as text: a text as it is, anything else as compact JSON, with kept values in their
   * places. Rejects where that takes more than `maxBytes`, or what is put together from several kept values more than
   * one attempt may read.
   */
  textOf(key: string, maxBytes: number): Promise<string | undefined>;
  /** The run's conversations that agents may go on with, by thread. They are lost with the worker. */
  threads: Map<string, readonly ModelMessage[]>;
  /** States an event about this stage. It is stored with, or before, the outcome. */
  readonly say: (event: RunEvent) => void;
  /** Shows the present followers a piece of what the stage says; it is stored nowhere. `offset` counts characters. */
  readonly show: (text: string, offset: number) => void;
  /** The run's sandbox, opened when it is first asked for. */
  sandbox(): Promise<Sandbox>;
  /** Keeps a large value in the object store and returns its reference, `blob://sha256/<digest>`. */
  keep(value: Uint8Array): Promise<string>;
  /** Something is still going on: the stall watchdog starts over. */
  readonly alive: () => void;
  /** Raised when the run is cancelled, the lease is lost, or the worker shuts down. */
  signal: AbortSignal;
}

/**
 * Executes the stages of one kind. A handler performs effects through the task and reports; it decides neither
 * retries nor routes. It may throw: a {@link RunyardError} of kind `unavailable` is tried again, anything else ends
 * the stage as failed; what is no {@link RunyardError} is a defect, and logged with its stack.
 */
export abstract class StageHandler<Kind extends HandlerKind = HandlerKind> {
  abstract readonly kind: Kind;
  abstract execute(task: StageTask<Kind>): Promise<AttemptResult>;
}

/** A handler of whichever kind. */
export type AnyStageHandler = { [Kind in HandlerKind]: StageHandler<Kind> }[HandlerKind];
