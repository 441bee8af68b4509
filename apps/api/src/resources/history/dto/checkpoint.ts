import { type Json } from '#libs/kernel';
import { ListOf, MapOf, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { anything, integer, textKind } from '../../../edge/schema/values.js';

/** Where a run can go on, with all that later stages may know. */
export class RunCheckpoint {
  @Timestamp() timestamp!: string;
  @Text() current_node!: string;
  @ListOf(textKind()) completed_nodes!: string[];
  @MapOf(integer({ min: 0 }), { doc: 'How often each node of the main path was tried again, at its last visit.' })
  node_retries!: Record<string, number>;
  @MapOf(integer({ min: 0 }), { doc: 'How often the main path entered each node.' })
  node_visits!: Record<string, number>;
  @MapOf(anything()) context_values!: Record<string, Json>;
  @MapOf(textKind()) node_outcomes!: Record<string, string>;
  @Text({ optional: true }) next_node_id?: string;
  @MapOf(integer({ min: 0 })) loop_failure_signatures!: Record<string, number>;
  @MapOf(integer({ min: 0 })) restart_failure_signatures!: Record<string, number>;
}
