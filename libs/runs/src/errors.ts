import type { RunFailureReason, RunStatusKind } from '#libs/events';
import { RunyardError } from '#libs/kernel';

/** No such run in this tenant. */
export class RunNotFoundError extends RunyardError {
  override readonly code = 'run_not_found';
  readonly kind = 'missing';

  constructor(runId: string) {
    super(`Run ${runId} was not found.`);
  }
}

/** An archived run is read-only. */
export class RunArchivedError extends RunyardError {
  override readonly code = 'run_archived';
  readonly kind = 'conflict';

  constructor(runId: string) {
    super(`Run ${runId} is archived, so nothing can be done with it. Unarchive it first.`);
  }
}

/** A request that the run's present state does not allow. */
export class IllegalTransitionError extends RunyardError {
  readonly kind = 'conflict';

  /** A run that was cancelled has failed, but nobody calls it so; `failure` is the reason, where it is known. */
  constructor(runId: string, status: RunStatusKind, action: string, failure?: RunFailureReason | null) {
    const name = failure === 'cancelled' ? failure : status;
    super(`Run ${runId} is ${name}; it cannot be ${action}.`);
  }
}

/** The run came to no point from which it could go on. */
export class NoCheckpointError extends RunyardError {
  override readonly code = 'no_checkpoint';
  readonly kind = 'conflict';

  constructor(runId: string, why: string) {
    super(`Run ${runId} has no checkpoint ${why}.`);
  }
}

/** The run converges already. */
export class ControlPendingError extends RunyardError {
  readonly kind = 'conflict';

  constructor(runId: string, pending: string) {
    super(`Run ${runId} has a pending ${pending} request; wait until it is fulfilled.`);
  }
}

/** Consent is a person's. */
export class NotAPersonError extends RunyardError {
  readonly kind = 'forbidden';

  constructor(action: string, kind: string) {
    super(`Runs are ${action} by people; this token belongs to a ${kind}.`);
  }
}

/** Somebody was faster, the time is over, or there never was such a question. */
export class QuestionClosedError extends RunyardError {
  override readonly code = 'question_not_open';
  readonly kind = 'conflict';

  constructor(runId: string, questionId: string) {
    super(`Question ${questionId} of run ${runId} is not open: it is answered already, timed out, or was never asked.`);
  }
}

export class UnfitAnswerError extends RunyardError {
  override readonly code = 'answer_not_accepted';
  readonly kind = 'invalid';
}

/** The run cannot be deleted as it is now. */
export class RunActiveError extends RunyardError {
  readonly kind = 'conflict';

  constructor(runId: string, status: RunStatusKind) {
    super(`Run ${runId} is ${status}. Cancel it first, or delete it with force=true.`);
  }
}

/** A run would become its own ancestor. */
export class ParentCycleError extends RunyardError {
  override readonly code = 'parent_cycle';
  readonly kind = 'invalid';

  constructor(runId: string, parentId: string) {
    const why = runId === parentId ? 'is that run itself' : 'descends from it';
    super(`Run ${parentId} cannot be the parent of run ${runId}: it ${why}.`);
  }
}
