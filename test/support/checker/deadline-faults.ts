import type { LoggedEvent } from './logged-event.js';

/** How much too early something may happen, by the clock of the database. */
const EARLY_MS = 1_000;

/** Time limits of questions, waits and pauses before a retry that were over too early. */
export function* deadlineFaults(log: readonly LoggedEvent[]): Generator<string> {
  const due = new Map<string, number>();
  let isCancelled = false;
  for (const [index, event] of log.entries()) {
    if (event.isCopy) continue;
    isCancelled ||= event.event === 'run.cancel.requested';
    const ended = endedBy(event);
    const dueMs = ended === undefined || isCancelled ? undefined : due.get(ended);
    if (dueMs !== undefined) {
      due.delete(ended!);
      const earlyMs = Math.round(dueMs - event.storedAtMs);
      if (earlyMs > EARLY_MS) yield `${ended} is over ${earlyMs} ms too early (${event.seq})`;
    }
    const begun = begunBy(event);
    if (begun !== undefined && event.limitMs !== undefined) due.set(begun, momentOf(log, index) + event.limitMs);
  }
}

function begunBy({ event, questionId, stageId }: LoggedEvent): string | undefined {
  if (event === 'interview.started') return `question ${questionId}`;
  if (event === 'stage.waiting') return `the wait of ${stageId}`;
  if (event === 'stage.retrying') return `the pause of ${stageId}`;
  return undefined;
}

function endedBy({ event, questionId, stageId }: LoggedEvent): string | undefined {
  if (event === 'interview.timeout') return `question ${questionId}`;
  if (event === 'stage.completed') return `the wait of ${stageId}`;
  if (event === 'stage.started') return `the pause of ${stageId}`;
  return undefined;
}

/**
 * When an event happened by the clock of the database: when its producer says so, but not before what was stored before
 * it, and not after it was stored itself.
 */
function momentOf(log: readonly LoggedEvent[], index: number): number {
  const { transaction, tsMs, storedAtMs } = log[index]!;
  const before = log.slice(0, index).findLast((other) => other.transaction !== transaction);
  return Math.min(storedAtMs, Math.max(tsMs, before?.storedAtMs ?? -Infinity));
}
