import { Flag, Integer, ListOf, Nested, Text } from '../../../edge/schema/decorators.js';
import { EventEnvelope } from '../../run-events/dto/event-envelope.js';
import { RunResponse } from './run-response.js';
import { RunStageResponse } from './run-stage-response.js';

export class PaginationMeta {
  @Flag() has_more!: boolean;
  @Integer({ min: 0, format: 'int64', optional: true, doc: 'Absent where paging is by sequence number.' })
  total?: number;
}

export class RunListMeta extends PaginationMeta {
  @Flag({ optional: true, doc: 'True where there are more runs than "total" says: beyond 10,000 nobody counts.' })
  total_is_lower_bound?: boolean;
  @Text({ optional: true, doc: 'Send it as "cursor" to get the next page. Absent on the last one.' })
  next_cursor?: string;
}

export class PaginatedRunList {
  @ListOf(RunResponse) data!: RunResponse[];
  @Nested(RunListMeta) meta!: RunListMeta;
}

export class PaginatedRunStageList {
  @ListOf(RunStageResponse) data!: RunStageResponse[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}

export class PaginatedEventList {
  @ListOf(EventEnvelope) data!: EventEnvelope[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}
