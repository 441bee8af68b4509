import { OneOf, Flag, Integer, Text, Timestamp } from '../../../edge/schema/decorators.js';

export class WorkflowRef {
  @Text({ nullable: true }) slug!: string | null;
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) graph_name!: string | null;
  @Integer({ format: 'int64' }) node_count!: number;
  @Integer({ format: 'int64' }) edge_count!: number;
}

export class AutomationRef {
  @Text() id!: string;
  @Text({ nullable: true }) name!: string | null;
  @Text({ optional: true, nullable: true }) trigger_id?: string | null;
}

export class RepositoryRef {
  @Text() name!: string;
  @Text({ nullable: true }) origin_url!: string | null;
  @OneOf(['hosted_git', 'git', 'unknown']) provider!: 'hosted_git' | 'git' | 'unknown';
}

export class RunOrigin {
  @OneOf(['api']) kind!: 'api';
}

export class RunModel {
  @Text({ nullable: true }) provider!: string | null;
  @Text() name!: string;
}

export class RunTimestamps {
  @Timestamp() created_at!: string;
  @Timestamp({ nullable: true }) started_at!: string | null;
  @Timestamp({ nullable: true }) last_event_at!: string | null;
  @Timestamp({ nullable: true }) completed_at!: string | null;
}

export class RunBillingSummary {
  @Integer({ format: 'int64', nullable: true }) total_usd_micros!: number | null;
}

export const ASK_SERVICE_GAPS = ['no_sandbox', 'sandbox_not_ready', 'llm_unconfigured'] as const;

export class AskService {
  @Flag() available!: boolean;
  @OneOf(ASK_SERVICE_GAPS, { nullable: true }) unavailable_reason!: (typeof ASK_SERVICE_GAPS)[number] | null;
  @Text({ nullable: true }) default_model!: string | null;
}

export class DiffSummary {
  @Integer({ doc: 'Binary files count too.' }) files_changed!: number;
  @Integer({ doc: 'Lines of text files.' }) additions!: number;
  @Integer({ doc: 'Lines of text files.' }) deletions!: number;
}

export class PullRequestLink {
  @Text() owner!: string;
  @Text() repo!: string;
  @Integer() number!: number;
  @Text({ format: 'uri' }) html_url!: string;
}

export class RunQuestion {
  @Text() text!: string;
}

export class RunLinks {
  @Text({ format: 'uri', nullable: true }) web!: string | null;
}
