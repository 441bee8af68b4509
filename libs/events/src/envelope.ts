import type { JsonObject } from '#libs/kernel';
import type { EventCatalogue, EventName } from './catalogue.js';
import type { Principal } from './principal.js';

/** What an event is about, beside its run. Absent members are left out, never `null`. */
export interface EventScope {
  node_id?: string;
  node_label?: string;
  stage_id?: string;
  /** The fork under which this happened, and the branch of it: `<fork's stage id>:<index>`. */
  parallel_group_id?: string;
  parallel_branch_id?: string;
  /** The path on which this happened: a branch's id, or that of a sub-workflow. Absent on the run's main path. */
  cursor_id?: string;
  session_id?: string;
  parent_session_id?: string;
  tool_call_id?: string;
  actor?: Principal;
  /** The event of which this is a copy: the run was forked, and this is its history, not its doing. */
  origin?: { run_id: string; seq: number };
}

/** A fact as its producer states it: the name, the properties and what it is about. */
export type RunEvent = {
  [Name in EventName]: { event: Name; properties: EventCatalogue[Name] } & EventScope;
}[EventName];

export type EventOf<Name extends EventName> = Extract<RunEvent, { event: Name }>;

/** An event stamped by its producer, ready to be appended; the store gives it its seq. */
export type StampedEvent = RunEvent & {
  /** UUID v7. */
  id: string;
  /** RFC 3339 with milliseconds, UTC. Only seq orders events; this may repeat or step back. */
  ts: string;
};

/** An event of a newer version: kept, listed, ignored by every projection. */
export type UnknownEvent = { event: string; properties: JsonObject; id: string; ts: string } & EventScope;

/** A stored event as readers see it (interface document, Events). */
export type EventEnvelope = (StampedEvent | UnknownEvent) & { seq: number; run_id: string };
