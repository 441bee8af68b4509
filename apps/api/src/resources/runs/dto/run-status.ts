import { union } from '../../../edge/schema/composites.js';
import { Choice, Tag } from '../../../edge/schema/decorators.js';

const BLOCKED_REASONS = ['human_input_required'] as const;
export type BlockedReason = (typeof BLOCKED_REASONS)[number];

const SUCCESS_REASONS = ['completed', 'partial_success'] as const;
export type SuccessReason = (typeof SUCCESS_REASONS)[number];

const FAILURE_REASONS = [
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

class RunStatusSubmitted {
  @Tag('submitted') kind!: 'submitted';
}

class RunStatusPending {
  @Tag('pending') kind!: 'pending';
  @Choice(['approval_required'], { name: 'PendingReason' }) reason!: 'approval_required';
}

class RunStatusRunnable {
  @Tag('runnable') kind!: 'runnable';
}

class RunStatusStarting {
  @Tag('starting') kind!: 'starting';
}

class RunStatusRunning {
  @Tag('running') kind!: 'running';
}

class RunStatusBlocked {
  @Tag('blocked') kind!: 'blocked';
  @Choice(BLOCKED_REASONS, { name: 'BlockedReason' }) blocked_reason!: BlockedReason;
}

class RunStatusPaused {
  @Tag('paused') kind!: 'paused';
  @Choice(BLOCKED_REASONS, { name: 'BlockedReason', nullable: true }) prior_block!: BlockedReason | null;
}

class RunStatusRemoving {
  @Tag('removing') kind!: 'removing';
}

class RunStatusSucceeded {
  @Tag('succeeded') kind!: 'succeeded';
  @Choice(SUCCESS_REASONS, { name: 'SuccessReason' }) reason!: SuccessReason;
}

class RunStatusFailed {
  @Tag('failed') kind!: 'failed';
  @Choice(FAILURE_REASONS, { name: 'FailureReason' }) reason!: FailureReason;
}

class RunStatusDead {
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
