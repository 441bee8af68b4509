import type { RunEvent } from '#libs/events';
import type { HandlerKind, Node } from '#libs/language';
import type { ModelMessage } from '../ports/model.js';
import type { CommandInput, Sandbox } from '../ports/sandbox.js';
import type { Briefing } from '../preamble/briefing.js';
import type { OpenStage } from '../state/state.js';
import type { BranchItem } from '../rules/walk-context.js';
import type { AttemptResult } from '../stage/outcome.js';

/** Conversations with models, by name. One that was set may be gone when it is asked for. */
export interface Conversations {
  get(name: string): readonly ModelMessage[] | undefined;
  set(name: string, messages: readonly ModelMessage[]): unknown;
}

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
   * A context value by its flat key as text for a command: a text as it is, anything else as compact JSON, with kept values
   * in their places. Rejects where that takes more than `maxBytes`, or what is put together from several kept values more
   * than one attempt may read.
   */
  inputOf(key: string, maxBytes: number): Promise<CommandInput | undefined>;
  /**
   * Waits until this attempt may hold about so many bytes of large values beside all others of its worker. It holds them
   * until it ends; what it reserved before is given back first.
   */
  reserve(bytes: number): Promise<void>;
  /** The run's conversations that agents may go on with, by thread. They are lost with the worker, or when there are many. */
  threads: Conversations;
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
