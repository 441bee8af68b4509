import type { FailureCategory, OutcomeStatus } from '#libs/events';
import type { Json } from '#libs/kernel';

/**
 * Where a run stands: a fold of its log and nothing else, so that any worker that reads the log stands at the same
 * place. It is plain data; a snapshot is this value as JSON.
 */
export interface RunState {
  /** `created` until the workspace is ready, then `walking`, until a terminal event. */
  phase: 'created' | 'walking' | 'ended';
  cancelRequested: boolean;
  /** When the wall time of the run began, in milliseconds since the epoch. */
  startedAt: number | null;
  /** One cursor a path that is being walked. */
  cursors: Record<string, Cursor>;
  /** How often each node was executed, over all cursors: forms the stage ids. */
  executions: Record<string, number>;
  /** The last outcome of each node, wherever it ran: what goal gates look at. */
  outcomes: Record<string, OutcomeStatus>;
  /** Repetitions of failure signatures: all of them, and those that loop restarts left behind. */
  signatures: { failures: Record<string, number>; restarts: Record<string, number> };
  stagesStarted: number;
  checkpoints: number;
  toolTimeMs: number;
}

/** A place on the graph with what belongs to the path that led there. */
export interface Cursor {
  position: Position;
  /** How often this path entered each node; limits count these. */
  visits: Record<string, number>;
  context: Record<string, Json>;
  /** What the last recorded stage reported. A conditional node does not report: it looks through to this. */
  last: LastReport | null;
}

export interface LastReport {
  node: string;
  status: OutcomeStatus;
  preferredLabel?: string;
  suggestedNextIds?: string[];
  failureCategory?: FailureCategory;
  failureMessage?: string;
  failureSignature?: string;
}

export type Position =
  /** About to enter a node. */
  | { at: 'node'; node: string }
  /** Inside one. */
  | { at: 'stage'; stage: OpenStage }
  /** Its outcome is recorded, the way on is not. It is routed again, never executed again. */
  | { at: 'outcome'; node: string; stageId: string };

export interface OpenStage {
  id: string;
  node: string;
  execution: number;
  attempt: number;
  maxAttempts: number;
  attemptId: string;
  /** The epoch whose worker executes it. */
  epoch: number;
  index: number;
  startedAt: number;
  doing: { what: 'working' } | { what: 'waiting'; until: number } | { what: 'backing_off'; until: number };
}

export const MAIN_CURSOR = 'main';

export function initialState(startNode: string): RunState {
  return {
    phase: 'created',
    cancelRequested: false,
    startedAt: null,
    cursors: { [MAIN_CURSOR]: newCursor(startNode) },
    executions: {},
    outcomes: {},
    signatures: { failures: {}, restarts: {} },
    stagesStarted: 0,
    checkpoints: 0,
    toolTimeMs: 0,
  };
}

export function newCursor(node: string): Cursor {
  return { position: { at: 'node', node }, visits: {}, context: {}, last: null };
}
