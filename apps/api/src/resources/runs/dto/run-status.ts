import { union } from '../../../edge/schema/composites.js';
import { OneOf, Discriminator } from '../../../edge/schema/decorators.js';

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
  @Discriminator('submitted') kind!: 'submitted';
}

class RunStatusPending {
  @Discriminator('pending') kind!: 'pending';
  @OneOf(['approval_required'], { name: 'PendingReason' }) reason!: 'approval_required';
}

class RunStatusRunnable {
  @Discriminator('runnable') kind!: 'runnable';
}

class RunStatusStarting {
  @Discriminator('starting') kind!: 'starting';
}

class RunStatusRunning {
  @Discriminator('running') kind!: 'running';
}

class RunStatusBlocked {
  @Discriminator('blocked') kind!: 'blocked';
  @OneOf(BLOCKED_REASONS, { name: 'BlockedReason' }) blocked_reason!: BlockedReason;
}

class RunStatusPaused {
  @Discriminator('paused') kind!: 'paused';
  @OneOf(BLOCKED_REASONS, { name: 'BlockedReason', nullable: true }) prior_block!: BlockedReason | null;
}

class RunStatusRemoving {
  @Discriminator('removing') kind!: 'removing';
}

class RunStatusSucceeded {
  @Discriminator('succeeded') kind!: 'succeeded';
  @OneOf(SUCCESS_REASONS, { name: 'SuccessReason' }) reason!: SuccessReason;
}

class RunStatusFailed {
  @Discriminator('failed') kind!: 'failed';
  @OneOf(FAILURE_REASONS, { name: 'FailureReason' }) reason!: FailureReason;
}

class RunStatusDead {
  @Discriminator('dead') kind!: 'dead';
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
