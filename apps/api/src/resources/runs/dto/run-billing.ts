import { OneOf, Integer, ListOf, Nested, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { STAGE_STATES, type StageState } from './run-stage-response.js';
import { RunTiming, StageTiming } from './timing.js';
import { BilledTokenCounts, BILLING_SPEEDS, type BillingSpeed } from './token-counts.js';

export class BillingStageRef {
  @Text() id!: string;
  @Text() name!: string;
}

export class BillingModelRef {
  @Text() provider!: string;
  @Text() model_id!: string;
  @OneOf(BILLING_SPEEDS, { name: 'BillingSpeed', optional: true, nullable: true }) speed?: BillingSpeed | null;
}

/** One node, summed over all its visits. */
export class RunBillingStage {
  @Nested(BillingStageRef) stage!: BillingStageRef;
  @Nested(BillingModelRef, { nullable: true }) model!: BillingModelRef | null;
  @Nested(BilledTokenCounts) billing!: BilledTokenCounts;
  @Nested(StageTiming) timing!: StageTiming;
  @Timestamp({ optional: true, nullable: true }) started_at?: string | null;
  @OneOf(STAGE_STATES, { name: 'StageState', optional: true, nullable: true }) state?: StageState | null;
}

export class RunBillingTotals extends BilledTokenCounts {
  @Nested(RunTiming) timing!: RunTiming;
}

export class BillingByModel {
  @Nested(BillingModelRef) model!: BillingModelRef;
  @Integer() stages!: number;
  @Nested(BilledTokenCounts) billing!: BilledTokenCounts;
}

export class RunBilling {
  @ListOf(RunBillingStage) stages!: RunBillingStage[];
  @Nested(RunBillingTotals) totals!: RunBillingTotals;
  @ListOf(BillingByModel) by_model!: BillingByModel[];
}
