import { Flag, Integer, ListOf, Nested } from '../../schema/decorators.js';
import { EventEnvelope } from './event-envelope.js';
import { RunResponse } from './run-response.js';
import { RunStageResponse } from './run-stage-response.js';

export class PaginationMeta {
  @Flag() has_more!: boolean;
  @Integer({ min: 0, format: 'int64', optional: true, doc: 'Absent where paging is by sequence number.' })
  total?: number;
}

export class PaginatedRunList {
  @ListOf(RunResponse) data!: RunResponse[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}

export class PaginatedRunStageList {
  @ListOf(RunStageResponse) data!: RunStageResponse[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}

export class PaginatedEventList {
  @ListOf(EventEnvelope) data!: EventEnvelope[];
  @Nested(PaginationMeta) meta!: PaginationMeta;
}
