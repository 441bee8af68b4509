import { Flag, Integer, ListOf, MapOf, Text } from '../../../edge/schema/decorators.js';
import { textKind } from '../../../edge/schema/values.js';
import { runIdProblem } from '../../manifests/manifest-rules.js';
import { ageProblem, datePrefixProblem } from '../prune-rules.js';

export class PruneRunsRequest {
  @Flag({ optional: true, default: true, doc: 'Only lists what would be removed.' }) dry_run = true;
  @Text({
    optional: true,
    check: datePrefixProblem,
    doc: 'Created before this date in UTC, or before the first day of this month or year.',
  })
  before?: string;
  @Text({ optional: true, min: 1, max: 200, doc: "A part of the workflow's name, in any case." }) workflow?: string;
  @MapOf(textKind(), { optional: true, doc: 'All of these labels.' }) labels?: Record<string, string>;
  @Flag({ optional: true, default: false, doc: 'Only what removed runs left in the object store.' }) orphans = false;
  @Text({
    optional: true,
    check: ageProblem,
    doc: 'Over for so many hours or days: 12h, 30d. 24h when there is no before, workflow or labels.',
  })
  older_than?: string;
  @Text({ optional: true, check: runIdProblem, doc: 'Only runs with a greater id: the "next" of the answer before.' })
  after?: string;
}

export class PruneRunEntry {
  @Text() run_id!: string;
  @Text({ doc: 'Where its outputs lie in the object store.' }) dir_name!: string;
  @Text() workflow_name!: string;
  @Integer({ format: 'int64' }) size_bytes!: number;
}

export class PruneRunsResponse {
  @Flag() dry_run!: boolean;
  @ListOf(PruneRunEntry, { nullable: true, doc: 'What would be removed; null when it was.' })
  runs!: PruneRunEntry[] | null;
  @Integer({ format: 'int64' }) total_count!: number;
  @Integer({ format: 'int64' }) total_size_bytes!: number;
  @Integer({ format: 'int64' }) deleted_count!: number;
  @Integer({ format: 'int64' }) freed_bytes!: number;
  @Flag({ optional: true, doc: 'True where there may be more: one request is about a thousand runs at most.' })
  has_more?: boolean;
  @Text({ optional: true, doc: 'Send it as "after" to go on. Absent with orphans: prune them again.' }) next?: string;
}
