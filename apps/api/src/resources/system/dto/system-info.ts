import { Integer, Nested, Text } from '../../../edge/schema/decorators.js';

export class SystemRunCounts {
  @Integer({ format: 'int64' }) total!: number;
  @Integer({ format: 'int64' }) active!: number;
  @Integer({ format: 'int64' }) scheduler_slots_used!: number;
}

export class SystemInfoResponse {
  @Text() version!: string;
  @Text() server_url!: string;
  @Text({ nullable: true }) git_sha!: string | null;
  @Text({ nullable: true }) build_date!: string | null;
  @Text({ nullable: true }) profile!: string | null;
  @Text() os!: string;
  @Text() arch!: string;
  @Text() storage_engine!: string;
  @Text() storage_dir!: string;
  @Integer({ format: 'int64' }) uptime_secs!: number;
  @Nested(SystemRunCounts, { doc: "The tenant's own, counted up to 10,000 each." }) runs!: SystemRunCounts;
  @Text({ doc: 'Of the default environment.' }) sandbox_provider!: string;
}
