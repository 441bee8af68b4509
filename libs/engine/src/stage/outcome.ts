import type { FailureDetail, KeptMarks, OutcomeStatus, TokenBilling } from '#libs/events';
import type { Json } from '#libs/kernel';

/** What one stage reports, and all that routing may look at. */
export interface Outcome {
  status: OutcomeStatus;
  preferredLabel?: string;
  suggestedNextIds?: readonly string[];
  contextUpdates?: Readonly<Record<string, Json>>;
  /** Where in those the server put references to kept values. What a model or a command wrote never gets here. */
  kept?: KeptMarks;
  /** Present exactly when the status is `failed`, or was before a rule turned it into something better. */
  failure?: FailureDetail;
  notes?: string;
  /** Files that an agent wrote, relative to the working directory. */
  filesTouched?: readonly string[];
}

/** What one attempt took. */
export interface Expense {
  toolTimeMs?: number;
  inferenceTimeMs?: number;
  /** All model calls of the attempt; absent when there was none. */
  billing?: TokenBilling;
}

/** How one attempt ended. */
export type AttemptResult = Expense &
  (
    | /**
       * An outcome to route on. `retryWanted` asks for another attempt although it is no error; `finalBecause` says why
       * none is asked for, where a handler can say more than the class of the failure.
       */
      { kind: 'outcome'; outcome: Outcome; retryWanted?: boolean; finalBecause?: string }
      /** The handler could not do its work. Tried again when `retryable` and attempts are left, else a failed outcome. */
    | { kind: 'error'; failure: FailureDetail; retryable: boolean }
  );

export function succeeded(rest: Omit<Outcome, 'status'> = {}): AttemptResult {
  return { kind: 'outcome', outcome: { status: 'succeeded', ...rest } };
}

/** A failed outcome. With `finalBecause` it is not tried again, for that reason; with `retryWanted` it is. */
export function failed(
  failure: FailureDetail,
  rest: Omit<Outcome, 'status' | 'failure'> = {},
  again: { retryWanted?: true; finalBecause?: string } = {},
): AttemptResult {
  return { kind: 'outcome', outcome: { status: 'failed', failure, ...rest }, ...again };
}

export function errored(failure: FailureDetail, retryable: boolean): AttemptResult {
  return { kind: 'error', failure, retryable };
}
