import { OneOf, Flag, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { PreflightWorkflowSummary } from './workflow-summary.js';

export const PREFLIGHT_STATUSES = ['pass', 'warning', 'error'] as const;
export type PreflightStatus = (typeof PREFLIGHT_STATUSES)[number];

export class PreflightCheckDetail {
  @Text() text!: string;
  @Flag({ doc: 'Whether it is a reason for the status of the check.' }) warn!: boolean;
}

export class PreflightCheckResult {
  @Text() name!: string;
  @OneOf(PREFLIGHT_STATUSES, { name: 'PreflightCheckStatus' }) status!: PreflightStatus;
  @Text() summary!: string;
  @ListOf(PreflightCheckDetail) details!: PreflightCheckDetail[];
  @Text({ optional: true, nullable: true, doc: 'What to do about it.' }) remediation?: string | null;
}

export class PreflightCheckSection {
  @Text({ doc: 'Empty for the only section.' }) title!: string;
  @ListOf(PreflightCheckResult) checks!: PreflightCheckResult[];
}

export class PreflightCheckReport {
  @Text() title!: string;
  @ListOf(PreflightCheckSection) sections!: PreflightCheckSection[];
}

/** Whether a run of this manifest could begin here. */
export class PreflightResponse {
  @Flag({ doc: 'Whether no check ended with an error.' }) ok!: boolean;
  @Nested(PreflightWorkflowSummary) workflow!: PreflightWorkflowSummary;
  @Nested(PreflightCheckReport) checks!: PreflightCheckReport;
}
