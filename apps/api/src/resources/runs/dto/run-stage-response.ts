import { ApiSchema } from '@nestjs/swagger';
import { OneOf, Integer, Nested, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { BilledTokenCounts, BILLING_SPEEDS, type BillingSpeed } from './token-counts.js';

export const STAGE_STATES = [
  'pending',
  'running',
  'retrying',
  'succeeded',
  'partially_succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type StageState = (typeof STAGE_STATES)[number];

const STAGE_HANDLERS = [
  'start',
  'exit',
  'agent',
  'prompt',
  'command',
  'human',
  'conditional',
  'parallel',
  'parallel.fan_in',
  'stack.manager_loop',
  'wait',
] as const;
export type StageHandlerKind = (typeof STAGE_HANDLERS)[number];

export const REASONING_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export class StageModelUsage {
  @Text({ doc: 'prompt, agent or acp.' }) mode!: string;
  @Text({ optional: true, nullable: true }) provider?: string | null;
  @Text({ optional: true, nullable: true }) model?: string | null;
  @OneOf(REASONING_EFFORTS, { name: 'ReasoningEffort', optional: true, nullable: true })
  reasoning_effort?: (typeof REASONING_EFFORTS)[number] | null;
  @OneOf(BILLING_SPEEDS, { name: 'BillingSpeed', optional: true, nullable: true }) speed?: BillingSpeed | null;
}

/** One execution of a node. */
@ApiSchema({ name: 'RunStage' })
export class RunStageResponse {
  @Text({ doc: '<node_id>@<visit>' }) id!: string;
  @Text() name!: string;
  @OneOf(STAGE_HANDLERS, { name: 'StageHandler' }) handler!: StageHandlerKind;
  @OneOf(STAGE_STATES, { name: 'StageState' }) status!: StageState;
  @Integer({ min: 0, format: 'uint64', optional: true }) wall_time_ms?: number;
  @Text() node_id!: string;
  @Integer({ min: 1, format: 'uint32' }) visit!: number;
  @Integer({ min: 1, format: 'uint32', optional: true, nullable: true }) graph_visit?: number | null;
  @Text({ optional: true, nullable: true }) resumed_from_stage_id?: string | null;
  @Text({ optional: true }) parallel_group_id?: string;
  @Integer({ min: 0, format: 'uint32', optional: true }) parallel_branch_index?: number;
  @Nested(StageModelUsage, { optional: true, nullable: true }) provider_used?: StageModelUsage | null;
  @Timestamp({ optional: true, nullable: true }) started_at?: string | null;
  @Nested(BilledTokenCounts) billing!: BilledTokenCounts;
}
