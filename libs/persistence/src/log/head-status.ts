import { saidStatus, type RunStatusKind, type StampedEvent } from '#libs/events';
import { leadsTo, OVER_STATUSES, statusesFor, statusLeft, statusOfKind } from '#libs/runs';

/** The status that events leave a run in whose worker holds it, or null when they say nothing about it. */
export function statusAfter(events: readonly StampedEvent[]): RunStatusKind | null {
  return isSilent(events) ? null : statusLeft({ kind: 'running' }, events);
}

/** The status that events leave a run in, by that of its locked head; null when they say nothing about it. */
export function statusFrom(before: RunStatusKind, events: readonly StampedEvent[]): RunStatusKind | null {
  return isSilent(events) ? null : statusLeft(statusOfKind(before), events);
}

function isSilent(events: readonly StampedEvent[]): boolean {
  return events.every((event) => !saidStatus({ kind: 'running' }, event));
}

/** Whether events leave the run archived, or null when they do not say. */
export function isArchivedAfter(events: readonly StampedEvent[]): boolean | null {
  const last = events.findLast(({ event }) => event === 'run.archived' || event === 'run.unarchived');
  return last ? last.event === 'run.archived' : null;
}

/** The statuses in which a run takes no more of its worker, as an SQL list. */
export const OVER = sqlList(OVER_STATUSES);

/** Those in which a run rests until somebody says that it goes on, whatever is due, as an SQL list. */
export const PAUSED = sqlList(statusesFor('unpause'));

/** Those in which what is due of a resting run is done for it, as an SQL list. */
export const TIMES_OUT = sqlList(statusesFor('time_out'));

/** Those in which a run leaves its log to the object store, as an SQL list. */
export const LEAVES_LOG = sqlList(statusesFor('move_log'));

/** How a run waits for its first slot, what it is once it has one, and what it is when nobody can drive it, in SQL. */
export const WAITS = `'${leadsTo('start', 'submitted')[0]!}'`;
export const STARTS = `'${leadsTo('promote', 'runnable')[0]!}'`;
export const DEAD = `'${leadsTo('quarantine', 'running')[0]!}'`;

function sqlList(statuses: readonly RunStatusKind[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(', ')})`;
}
