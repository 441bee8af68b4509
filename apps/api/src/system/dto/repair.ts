import { Integer, ListOf, Text, Timestamp } from '../../schema/decorators.js';

export class SystemRepairRunIssue {
  @Text() run_id!: string;
  @Timestamp() created_at!: string;
  @Text() error!: string;
}

export class SystemRepairRunsResponse {
  @ListOf(SystemRepairRunIssue) runs!: SystemRepairRunIssue[];
  @Integer({ format: 'int64' }) total_count!: number;
}
