import { type RunStatusKind, type StampedEvent } from '#libs/events';

/** The status that events leave behind, or null when they change none. The head's status is this fold. */
export function statusAfter(events: readonly StampedEvent[]): RunStatusKind | null {
  for (const { event } of events.toReversed()) {
    const status = statusOf[event];
    if (status !== undefined) return status;
  }
  return null;
}

const statusOf: Partial<Record<StampedEvent['event'], RunStatusKind>> = {
  'run.submitted': 'submitted',
  'run.pending': 'pending',
  'run.runnable': 'runnable',
  'run.starting': 'starting',
  'run.running': 'running',
  'run.blocked': 'blocked',
  'run.unblocked': 'running',
  'run.paused': 'paused',
  'run.unpaused': 'running',
  'run.completed': 'succeeded',
  'run.failed': 'failed',
  'run.removing': 'removing',
};

/** Whether events leave the run archived, or null when they do not say. */
export function isArchivedAfter(events: readonly StampedEvent[]): boolean | null {
  const last = events.findLast(({ event }) => event === 'run.archived' || event === 'run.unarchived');
  return last ? last.event === 'run.archived' : null;
}

/** The statuses in which a run accepts no more of its worker. */
export const OVER_STATUSES: readonly RunStatusKind[] = ['succeeded', 'failed', 'dead', 'removing'];

/** The same as an SQL list. */
export const OVER = `(${OVER_STATUSES.map((status) => `'${status}'`).join(', ')})`;
