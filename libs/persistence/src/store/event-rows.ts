import { encodeEvent, type StampedEvent } from '#libs/events';
import type { RunKey } from '#libs/engine';

/** Events of several runs as parallel arrays, the form in which one statement inserts them all. */
export interface EventRows {
  tenantIds: string[];
  runIds: string[];
  /** Place within the run's part of this statement, from 0. */
  offsets: number[];
  ids: string[];
  names: string[];
  times: string[];
  bodies: string[];
}

/** Masks nothing, caps nothing: events come here as they are to be stored, and the codec makes their text safe. */
export function eventRows(entries: readonly { run: RunKey; events: readonly StampedEvent[] }[]): EventRows {
  const rows: EventRows = { tenantIds: [], runIds: [], offsets: [], ids: [], names: [], times: [], bodies: [] };
  for (const { run, events } of entries) {
    events.forEach((stamped, offset) => {
      const { id, event, ts, body } = encodeEvent(run.runId, stamped);
      rows.tenantIds.push(run.tenantId);
      rows.runIds.push(run.runId);
      rows.offsets.push(offset);
      rows.ids.push(id);
      rows.names.push(event);
      rows.times.push(ts);
      rows.bodies.push(body);
    });
  }
  return rows;
}

/** As statement parameters, in the order in which the statements name them. */
export function eventParameters(rows: EventRows): unknown[] {
  return [rows.tenantIds, rows.runIds, rows.offsets, rows.ids, rows.names, rows.times, rows.bodies];
}
