import { Integer, Text } from '../../../edge/schema/decorators.js';

/** A point from which a run can be forked or rewound. */
export class TimelineEntryResponse {
  @Integer({ min: 1 }) ordinal!: number;
  @Text() node_name!: string;
  @Integer({ min: 1, doc: 'The execution of the node.' }) visit!: number;
  @Integer({ min: 1 }) checkpoint_seq!: number;
  @Text({ nullable: true, optional: true }) run_commit_sha?: string | null;
}
