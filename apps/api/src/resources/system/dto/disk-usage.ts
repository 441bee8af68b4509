import { OneOf, Flag, Integer, ListOf, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { QueryFlag } from '../../../edge/schema/query.js';

const KINDS = ['runs', 'logs', 'other'] as const;

export class DiskUsageQuery {
  @QueryFlag({ default: false, doc: 'A row for each run, too: for the thousand with the largest logs.' }) verbose =
    false;
}

export class DiskUsageSummaryRow {
  @OneOf(KINDS, {
    doc: 'runs: what the database keeps of them; logs: what the object store keeps of them; other: manifests and specifications.',
  })
  type!: (typeof KINDS)[number];
  @Integer({ format: 'int64' }) count!: number;
  @Integer({ format: 'int64', nullable: true }) active!: number | null;
  @Integer({ format: 'int64' }) size_bytes!: number;
  @Integer({ format: 'int64', nullable: true }) reclaimable_bytes!: number | null;
}

export class DiskUsageRunRow {
  @Text() run_id!: string;
  @Text() workflow_name!: string;
  @Text() status!: string;
  @Timestamp() start_time!: string;
  @Integer({ format: 'int64', doc: "Its share of the database's tables by its number of events, and its outputs." })
  size_bytes!: number;
  @Flag() reclaimable!: boolean;
}

export class DiskUsageResponse {
  @ListOf(DiskUsageSummaryRow) summary!: DiskUsageSummaryRow[];
  @Integer({ format: 'int64' }) total_size_bytes!: number;
  @Integer({ format: 'int64' }) total_reclaimable_bytes!: number;
  @ListOf(DiskUsageRunRow, { nullable: true }) runs!: DiskUsageRunRow[] | null;
}
