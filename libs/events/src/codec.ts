import { cleanJson, isDeeperThan, maskTokens, newEventId, RunyardError, type JsonObject } from '#libs/kernel';
import type { EventName } from './catalogue.js';
import type { EventEnvelope, RunEvent, StampedEvent, UnknownEvent } from './envelope.js';
import { MAX_EVENT_BYTES } from './limits.js';
import { shownSpec } from './shown-spec.js';

/** Gives an event its id and its time. */
export function stamp(event: RunEvent, nowMs: number): StampedEvent {
  return { id: newEventId(nowMs), ts: new Date(nowMs).toISOString(), ...event };
}

/** An event in the form in which it is stored and sent. */
export interface EncodedEvent {
  id: string;
  event: string;
  ts: string;
  /** The envelope without its seq, as JSON: safe to store whatever a command or a model wrote into it. */
  body: string;
  /** What the body says. */
  unnumbered: Omit<EventEnvelope, 'seq'>;
}

/** Nothing in an event was kept elsewhere although it is too large: it is stored nowhere. */
export class EventTooLargeError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(event: string, bytes: number) {
    super(`A ${event} event of ${bytes} bytes is larger than an event may be; at most ${MAX_EVENT_BYTES} are stored.`);
  }
}

/** The one way into a log, so no secret gets into one. Throws an {@link EventTooLargeError} for what no log takes. */
export function encodeEvent(runId: string, stamped: StampedEvent): EncodedEvent {
  const { id, ts, event, properties: all, ...scope } = stamped;
  const properties = stamped.event === 'run.created' ? shownSpec(stamped.properties) : all;
  const said = { id, ts, run_id: runId, event, ...scope, properties } as unknown as JsonObject;
  const { value, text: body } = withoutTokens(safeJson(said));
  if (body.length * 3 > MAX_EVENT_BYTES) {
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_EVENT_BYTES) throw new EventTooLargeError(event, bytes);
  }
  return { id, event, ts, body, unnumbered: value as unknown as Omit<EventEnvelope, 'seq'> };
}

interface EncodedJson {
  value: JsonObject;
  text: string;
}

function withoutTokens(encoded: EncodedJson): EncodedJson {
  const text = maskTokens(encoded.text);
  return text === encoded.text ? encoded : { value: JSON.parse(text) as JsonObject, text };
}

/** U+0000 and lone surrogates show in JSON as escapes. */
const UNSAFE = /\\u(?:0000|d[89a-f])/i;
const MAX_DEPTH = 64;

/** JSON that PostgreSQL stores and every reader reads. Nearly all values are safe as they are and are walked only once. */
function safeJson(value: JsonObject): EncodedJson {
  const text = JSON.stringify(value);
  if (!UNSAFE.test(text) && !(mayBeDeep(text) && isDeeperThan(MAX_DEPTH, value))) return { value, text };
  const safe = cleanJson(value);
  return { value: safe, text: JSON.stringify(safe) };
}

/** Whether brackets may nest deeper than a value is stored. All that open are counted, so this errs towards yes. */
function mayBeDeep(text: string): boolean {
  let opened = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++opened > MAX_DEPTH) return true;
    }
  }
  return false;
}

/** The JSON text of a stored event as readers get it: its body with the seq in front. */
export function withSeq(seq: number, body: string): string {
  return `{"seq":${seq},${body.slice(1)}`;
}

export function decodeEvent(seq: number, body: string): EventEnvelope {
  return JSON.parse(withSeq(seq, body)) as EventEnvelope;
}

const KNOWN: Record<EventName, true> = {
  'run.created': true,
  'context.edited': true,
  'run.submitted': true,
  'run.start_requested': true,
  'run.pending': true,
  'run.approved': true,
  'run.denied': true,
  'run.runnable': true,
  'run.starting': true,
  'run.claimed': true,
  'run.started': true,
  'run.running': true,
  'run.parked': true,
  'run.cancel.requested': true,
  'run.pause.requested': true,
  'run.unpause.requested': true,
  'run.paused': true,
  'run.unpaused': true,
  'run.blocked': true,
  'run.unblocked': true,
  'run.notice': true,
  'run.completed': true,
  'run.failed': true,
  'run.removing': true,
  'run.title.updated': true,
  'run.archived': true,
  'run.unarchived': true,
  'run.parent.linked': true,
  'run.parent.unlinked': true,
  'run.superseded_by': true,
  'sandbox.initializing': true,
  'sandbox.ready': true,
  'sandbox.initialized': true,
  'sandbox.failed': true,
  'stage.started': true,
  'stage.waiting': true,
  'stage.completed': true,
  'stage.failed': true,
  'stage.retrying': true,
  'command.started': true,
  'command.completed': true,
  'stage.prompt': true,
  'prompt.completed': true,
  'agent.session.activated': true,
  'agent.session.deactivated': true,
  'agent.llm.started': true,
  'agent.llm.first_output': true,
  'agent.message': true,
  'parallel.started': true,
  'parallel.branch.started': true,
  'parallel.branch.completed': true,
  'parallel.completed': true,
  'subgraph.started': true,
  'subgraph.completed': true,
  'interview.started': true,
  'interview.completed': true,
  'interview.timeout': true,
  'interview.interrupted': true,
  'hook.started': true,
  'hook.completed': true,
  'hook.failed': true,
  'edge.selected': true,
  'loop.restart': true,
  'checkpoint.completed': true,
  'watchdog.timeout': true,
};

/** Tells the events of this version from those a newer one wrote. */
export function isKnown(event: StampedEvent | UnknownEvent): event is StampedEvent {
  return Object.hasOwn(KNOWN, event.event);
}

const PROGRESS: ReadonlySet<string> = new Set<EventName>([
  'stage.completed',
  'stage.failed',
  'agent.message',
  'parallel.branch.completed',
  'subgraph.completed',
  'interview.completed',
]);

/** Whether something was reached that no later epoch has to do again: an outcome, a turn of an agent, an answer. */
export function isProgress(events: readonly { event: string }[]): boolean {
  return events.some(({ event }) => PROGRESS.has(event));
}

/** The events after which a log ends; only housekeeping may follow, or a resume. */
export function isTerminalEvent(name: string): boolean {
  return name === 'run.completed' || name === 'run.failed';
}
