import { type JsonObject } from '#libs/kernel';
import { anything } from '../../../edge/schema/values.js';
import { Integer, MapOf, Nested, Text, Timestamp } from '../../../edge/schema/decorators.js';
import { Field } from '../../../edge/schema/field.js';
import { type Principal, principal } from '../../../edge/auth/principal.js';

/** Where an event that a fork or a rewind copied was first said. */
export class EventOrigin {
  @Text() run_id!: string;
  @Integer({ min: 1 }) seq!: number;
}

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
  @Nested(EventOrigin, { optional: true, doc: 'Of a copied event only; what it tells of is not done or paid again.' })
  origin?: EventOrigin;
  @Field(principal, { optional: true, nullable: true }) actor?: Principal | null;
  @MapOf(anything(), { optional: true, doc: 'What belongs to this event name.' }) properties?: JsonObject;
}
