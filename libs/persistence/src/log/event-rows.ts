import type { RunKey } from '#libs/engine';
import { encodeEvent, type EncodedEvent, type StampedEvent } from '#libs/events';
import type { Parameters } from '../prepared.js';

/** What is appended to one run, encoded once: for the statement, and for readers in this process. */
export interface EncodedAppend {
  run: RunKey;
  events: readonly EncodedEvent[];
}

export function encodeAppend(run: RunKey, events: readonly StampedEvent[]): EncodedAppend {
  return { run, events: events.map((event) => encodeEvent(run.runId, event)) };
}

export function bodiesOf({ events }: EncodedAppend): string[] {
  return events.map(({ body }) => body);
}

/** The columns of `run_events` that a statement fills, each with its SQL. A new column is added here. */
interface EventColumns {
  tenant_id: string;
  run_id: string;
  seq: string;
  /** Under which epoch a worker wrote it; absent for what others write. */
  epoch?: string;
  /** Where that is not now. */
  stored_at?: string;
  id: string;
  event: string;
  ts: string;
  body: string;
}

/** SQL: the beginning of every statement that stores events, up to its FROM. */
export function insertEvents(columns: EventColumns): string {
  const names = Object.keys(columns).join(', ');
  return `INSERT INTO run_events (${names}) SELECT ${Object.values(columns).join(', ')}`;
}

/**
 * SQL: stores the events of several runs. `runs` names rows with the tenant, the run, and what `base` (the seq of the
 * first event) and `epoch` say of them. Bodies travel as the lines of one text: JSON has no line break of its own, and as
 * elements of an array all its quotes would be escaped here and read back there.
 */
export function insertAppends<Input>(
  parameters: Parameters<Input>,
  of: (input: Input) => readonly EncodedAppend[],
  { runs, base, epoch }: { runs: string; base: string; epoch?: string },
): string {
  const events = parameters.rows('e', (input) => of(input).flatMap(placed), {
    tenant_id: ['text', ({ run }) => run.tenantId],
    run_id: ['text', ({ run }) => run.runId],
    place: ['int', ({ place }) => place],
    id: ['uuid', ({ event }) => event.id],
    event: ['text', ({ event }) => event.event],
    ts: ['timestamptz', ({ event }) => event.ts],
    body: ['json lines', ({ event }) => event.body],
  });
  const insert = insertEvents({
    tenant_id: `${runs}.tenant_id`,
    run_id: `${runs}.run_id`,
    seq: `${base} + e.place`,
    ...(epoch !== undefined && { epoch }),
    id: 'e.id',
    event: 'e.event',
    ts: 'e.ts',
    body: 'e.body',
  });
  return `${insert} FROM ${runs} JOIN ${events} ON e.tenant_id = ${runs}.tenant_id AND e.run_id = ${runs}.run_id`;
}

/** The events of a run's part with their places in it, from 0 on. */
function placed({ run, events }: EncodedAppend): { run: RunKey; event: EncodedEvent; place: number }[] {
  return events.map((event, place) => ({ run, event, place }));
}
