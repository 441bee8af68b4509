import type { RunKey } from '#libs/engine';
import type { RunStatusKind } from '#libs/events';

/** An event as the checker reads it. */
export interface LoggedEvent {
  seq: number;
  id: string;
  /** Null where no worker wrote it. */
  epoch: number | null;
  event: string;
  storedAtMs: number;
  /** The moment as its producer's clock had it. */
  tsMs: number;
  /** What was committed together bears the same name. */
  transaction: string;
  stageId?: string | undefined;
  attemptId?: string | undefined;
  handler?: string | undefined;
  willRetry?: boolean | undefined;
  /** Of a start: whether it let a failed run go on. */
  isResume?: boolean | undefined;
  questionId?: string | undefined;
  /** Who claimed the run. */
  workerId?: string | undefined;
  /** How long a question, a wait or a retry takes at the longest, or at least. */
  limitMs?: number | undefined;
  /** It was taken over from the log of another run. */
  isCopy?: boolean | undefined;
}

/** What the scheduler knows of a run. */
export interface CheckedHead extends RunKey {
  status: RunStatusKind;
  slot: string;
  nextSeq: number;
  runnableSeq: number | null;
  /** Whether its specification and its manifest are stored. */
  hasDefinitions: boolean;
}

/** A run with its whole log. */
export interface CheckedRun {
  head: CheckedHead;
  log: readonly LoggedEvent[];
}
