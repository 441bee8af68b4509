import type { LoggedEvent } from '../support/checker/logged-event.js';
import type { Note } from './side-effects.js';

/**
 * Commands of one run that began a second time though the worker that began them lived: it was there to go on with them.
 * `harmed` are the workers that were killed, frozen or ended by themselves, by process id. Where the log does not name a
 * worker, it lived if every worker did.
 */
export function* repeatFaults(
  notes: readonly Note[],
  log: readonly LoggedEvent[],
  harmed: ReadonlySet<number>,
): Generator<string> {
  const claims = log.filter(({ event }) => event === 'run.claimed');
  const workers = new Map(claims.map(({ epoch, workerId }) => [epoch, workerId]));
  const livedIn = (epoch: number): boolean => {
    const pid = pidOf(workers.get(epoch));
    return pid === undefined ? harmed.size === 0 : !harmed.has(pid);
  };
  const begun = new Map<string, number>();
  for (const { attemptId, epoch, word } of notes) {
    if (word !== 'begin') continue;
    const attempt = attemptId.slice(0, attemptId.lastIndexOf('/'));
    const before = begun.get(attempt);
    begun.set(attempt, epoch);
    if (before === undefined || before === epoch || !livedIn(before)) continue;
    yield `${attempt} began in epoch ${before}, and again in epoch ${epoch}, and its first worker lived`;
  }
}

/** A worker's id is host, process and chance. */
function pidOf(workerId: string | undefined): number | undefined {
  const pid = /-(\d+)-[^-]+$/.exec(workerId ?? '')?.[1];
  return pid === undefined ? undefined : Number(pid);
}
