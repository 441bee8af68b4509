import type { RunKey } from '#libs/engine';
import type { RunStatusKind } from '#libs/events';

/** An event as the checker reads it. */
export interface LoggedEvent {
  seq: number;
  /** Null where no worker wrote it. */
  epoch: number | null;
  event: string;
  storedAtMs: number;
  /** What was committed together bears the same name. */
  transaction: string;
  stageId?: string | undefined;
  attemptId?: string | undefined;
  handler?: string | undefined;
  willRetry?: boolean | undefined;
  questionId?: string | undefined;
}

/** What the scheduler knows of a run. */
export interface CheckedHead extends RunKey {
  status: RunStatusKind;
  slot: string;
  nextSeq: number;
  runnableSeq: number | null;
}

/** A run with its whole log. */
export interface CheckedRun {
  head: CheckedHead;
  log: readonly LoggedEvent[];
}
