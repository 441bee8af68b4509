import { Integer, ListOf, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { QueryText } from '../../../edge/schema/query.js';
import { runIdProblem } from '../../manifests/manifest-rules.js';

export class SystemRepairQuery {
  @QueryText({ check: runIdProblem, doc: 'Only runs with a greater id: the "next" of the answer before.' })
  after?: string;
}

export class SystemRepairRunIssue {
  @Text() run_id!: string;
  @Timestamp() created_at!: string;
  @Text() error!: string;
}

export class SystemRepairRunsResponse {
  @ListOf(SystemRepairRunIssue) runs!: SystemRepairRunIssue[];
  @Integer({ format: 'int64' }) total_count!: number;
  @Text({ optional: true, doc: 'Send it as "after" to examine the runs behind it. Absent when all were examined.' })
  next?: string;
}
