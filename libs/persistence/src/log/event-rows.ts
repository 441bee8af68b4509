import type { RunKey } from '#libs/engine';
import { encodeEvent, type EncodedEvent, type StampedEvent } from '#libs/events';

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

/**
 * Events of several runs as parallel arrays, the form in which one statement inserts them all: tenant, run, place within
 * the run's part (from 0), id, name, time, body. Bodies travel as the lines of one text: JSON has no line break of its
 * own, and as elements of an array all its quotes would be escaped here and read back there.
 */
export function eventParameters(appends: readonly EncodedAppend[]): unknown[] {
  const rows = appends.flatMap(({ run, events }) => events.map((event, place) => ({ run, event, place })));
  return [
    rows.map(({ run }) => run.tenantId),
    rows.map(({ run }) => run.runId),
    rows.map(({ place }) => place),
    rows.map(({ event }) => event.id),
    rows.map(({ event }) => event.event),
    rows.map(({ event }) => event.ts),
    rows.map(({ event }) => event.body).join('\n'),
  ];
}
