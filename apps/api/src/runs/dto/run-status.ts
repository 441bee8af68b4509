import { union } from '../../schema/composites.js';
import { Choice, Tag } from '../../schema/decorators.js';

export const BLOCKED_REASONS = ['human_input_required'] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

export const SUCCESS_REASONS = ['completed', 'partial_success'] as const;
export type SuccessReason = (typeof SUCCESS_REASONS)[number];

export const FAILURE_REASONS = [
  'workflow_error',
  'publish_failed',
  'cancelled',
  'approval_denied',
  'terminated',
  'transient_infra',
  'budget_exhausted',
  'launch_failed',
  'bootstrap_failed',
  'sandbox_init_failed',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export class RunStatusSubmitted {
  @Tag('submitted') kind!: 'submitted';
}

export class RunStatusPending {
  @Tag('pending') kind!: 'pending';
  @Choice(['approval_required'], { name: 'PendingReason' }) reason!: 'approval_required';
}

export class RunStatusRunnable {
  @Tag('runnable') kind!: 'runnable';
}

export class RunStatusStarting {
  @Tag('starting') kind!: 'starting';
}

export class RunStatusRunning {
  @Tag('running') kind!: 'running';
}

export class RunStatusBlocked {
  @Tag('blocked') kind!: 'blocked';
  @Choice(BLOCKED_REASONS, { name: 'BlockedReason' }) blocked_reason!: BlockedReason;
}

export class RunStatusPaused {
  @Tag('paused') kind!: 'paused';
  @Choice(BLOCKED_REASONS, { name: 'BlockedReason', nullable: true }) prior_block!: BlockedReason | null;
}

export class RunStatusRemoving {
  @Tag('removing') kind!: 'removing';
}

export class RunStatusSucceeded {
  @Tag('succeeded') kind!: 'succeeded';
  @Choice(SUCCESS_REASONS, { name: 'SuccessReason' }) reason!: SuccessReason;
}

export class RunStatusFailed {
  @Tag('failed') kind!: 'failed';
  @Choice(FAILURE_REASONS, { name: 'FailureReason' }) reason!: FailureReason;
}

export class RunStatusDead {
  @Tag('dead') kind!: 'dead';
}

/** Where a run stands; archiving is not a status. */
export type RunStatus =
  | RunStatusSubmitted
  | RunStatusPending
  | RunStatusRunnable
  | RunStatusStarting
  | RunStatusRunning
  | RunStatusBlocked
  | RunStatusPaused
  | RunStatusRemoving
  | RunStatusSucceeded
  | RunStatusFailed
  | RunStatusDead;

export const runStatus = union('RunStatus', 'kind', {
  submitted: RunStatusSubmitted,
  pending: RunStatusPending,
  runnable: RunStatusRunnable,
  starting: RunStatusStarting,
  running: RunStatusRunning,
  blocked: RunStatusBlocked,
  paused: RunStatusPaused,
  removing: RunStatusRemoving,
  succeeded: RunStatusSucceeded,
  failed: RunStatusFailed,
  dead: RunStatusDead,
});
