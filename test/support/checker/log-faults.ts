import { isTerminalEvent } from '#libs/events';
import type { LoggedEvent } from './logged-event.js';

/** The only things that may be said about a run that is over. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'run.removing',
  'run.title.updated',
  'run.archived',
  'run.unarchived',
  'run.parent.linked',
  'run.parent.unlinked',
  'run.superseded_by',
]);

/** What closes a question. */
const CLOSING: ReadonlySet<string> = new Set(['interview.completed', 'interview.timeout', 'interview.interrupted']);

/** A run that is woken a moment too early parks again; more often than this nobody's clock is right. */
const MAX_IDLE_WAKES = 2;

/** What must hold of a run's log, whoever died while it was written. Returns what does not. */
export function faultsOfLog(log: readonly LoggedEvent[], over: boolean): string[] {
  return [...order(log), ...ending(log, over), ...blocking(log), ...stages(log), ...questions(log), ...parking(log)];
}

function* order(log: readonly LoggedEvent[]): Generator<string> {
  let epoch = 0;
  const ids = new Map<string, number>();
  for (const [index, event] of log.entries()) {
    if (event.seq !== index + 1) yield `seq ${event.seq} stands in place ${index + 1}`;
    if (ids.has(event.id)) yield `seq ${event.seq} is the event of seq ${ids.get(event.id)} again`;
    ids.set(event.id, event.seq);
    if (event.epoch === null) continue;
    if (event.epoch < epoch) yield `epoch ${event.epoch} writes seq ${event.seq} after epoch ${epoch}`;
    epoch = Math.max(epoch, event.epoch);
  }
}

/** One end for each generation: only a run that failed can be started again, which begins the next one. */
function* ending(log: readonly LoggedEvent[], over: boolean): Generator<string> {
  let end: string | null = null;
  for (const { seq, event } of log) {
    if (end === 'run.failed' && event === 'run.start_requested') end = null;
    else if (end !== null && !HOUSEKEEPING.has(event)) yield `${event} (${seq}) follows the end`;
    else if (isTerminalEvent(event)) end = event;
  }
  if (over && end === null) yield 'the run is over, and its log has no end';
  if (!over && end !== null) yield `the run is not over, and its log ends with ${end}`;
}

/** The first question blocks a run, and the end of the last one lets it go on: neither is said twice in a row. */
function* blocking(log: readonly LoggedEvent[]): Generator<string> {
  let last = 'run.unblocked';
  for (const { seq, event } of log) {
    if (event === 'run.submitted') last = 'run.unblocked';
    if (event !== 'run.blocked' && event !== 'run.unblocked') continue;
    if (event === last) yield `${event} (${seq}) follows ${last}`;
    last = event;
  }
}

function* stages(log: readonly LoggedEvent[]): Generator<string> {
  const closed = new Set<string>();
  const attempts = new Set<string>();
  for (const { seq, event, stageId = '', attemptId = '', willRetry } of log) {
    if (event === 'stage.started') {
      if (closed.has(stageId)) yield `${stageId} is executed again (${seq}) after its outcome was recorded`;
      if (attempts.has(attemptId)) yield `attempt ${attemptId} is started again (${seq})`;
      attempts.add(attemptId);
    } else if (event === 'stage.completed' || (event === 'stage.failed' && willRetry === false)) {
      if (closed.has(stageId)) yield `${stageId} has a second outcome (${seq})`;
      closed.add(stageId);
    }
  }
}

/** Of all answers, time limits and cancels one closes a question. */
function* questions(log: readonly LoggedEvent[]): Generator<string> {
  const open = new Set<string>();
  for (const { seq, event, questionId = '' } of log) {
    if (event === 'interview.started') open.add(questionId);
    else if (CLOSING.has(event) && !open.delete(questionId)) yield `${event} (${seq}) closes nothing that is open`;
  }
}

/** Whoever wakes a run finds something to do. */
function* parking(log: readonly LoggedEvent[]): Generator<string> {
  let idle = -1;
  for (const { event } of log) {
    if (event === 'run.claimed') continue;
    idle = event === 'run.parked' ? idle + 1 : -1;
    if (idle === MAX_IDLE_WAKES + 1) yield `it was woken ${idle} times in a row for nothing`;
  }
}
