import { Field } from '../../../edge/schema/field.js';
import { OneOf, Flag, Integer, Nested, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { type RunStatus, runStatus } from './run-status.js';

/** A person's one-time consent before execution, for runs that need it. */
export class RunApproval {
  @OneOf(['pending', 'approved', 'denied'], { name: 'RunApprovalState' }) state!: 'pending' | 'approved' | 'denied';
  @Timestamp() requested_at!: string;
  @Timestamp({ nullable: true }) decided_at!: string | null;
  @Text({ nullable: true }) denial_reason!: string | null;
}

export class RunError {
  @Text() message!: string;
}

const CONTROL_ACTIONS = ['cancel', 'pause', 'unpause'] as const;
export type RunControlAction = (typeof CONTROL_ACTIONS)[number];

export class RunLifecycle {
  @Field(runStatus) status!: RunStatus;
  @Nested(RunApproval, { nullable: true }) approval!: RunApproval | null;
  @OneOf(CONTROL_ACTIONS, { name: 'RunControlAction', nullable: true }) pending_control!: RunControlAction | null;
  @Integer({ nullable: true, doc: 'Place among the runs that wait for a slot, from 1.' }) queue_position!:
    number | null;
  @Nested(RunError, { nullable: true }) error!: RunError | null;
  @Flag() archived!: boolean;
  @Timestamp({ nullable: true }) archived_at!: string | null;
}
