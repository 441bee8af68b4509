import { type JsonObject } from '#libs/kernel';
import { anything } from '../../schema/values.js';
import { Integer, MapOf, Text, Timestamp } from '../../schema/decorators.js';
import { Field } from '../../schema/field.js';
import { type Principal, principal } from './principal.js';

/** One stored event. Names only grow: a reader keeps what it does not know. */
export class EventEnvelope {
  @Integer({ doc: 'Place in the log of the run, from 1, without gaps.' }) seq!: number;
  @Text() id!: string;
  @Timestamp() ts!: string;
  @Text() run_id!: string;
  @Text({ doc: 'Dotted name, past tense.' }) event!: string;
  @Text({ optional: true, nullable: true }) node_id?: string | null;
  @Text({ optional: true, nullable: true }) node_label?: string | null;
  @Text({ optional: true, nullable: true }) stage_id?: string | null;
  @Text({ optional: true, nullable: true }) parallel_group_id?: string | null;
  @Text({ optional: true, nullable: true }) parallel_branch_id?: string | null;
  @Text({ optional: true, nullable: true }) session_id?: string | null;
  @Text({ optional: true, nullable: true }) parent_session_id?: string | null;
  @Text({ optional: true, nullable: true }) tool_call_id?: string | null;
  @Field(principal, { optional: true, nullable: true }) actor?: Principal | null;
  @MapOf(anything(), { optional: true, doc: 'What belongs to this event name.' }) properties?: JsonObject;
}
