import type { StampedEvent } from '#libs/events';
import { InvariantError, RunyardError } from '#libs/kernel';
import { decide, type HousekeepingCommand, type LinkCommand, type Moment } from '#libs/runs';
import type { Queryable } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf } from '../log/event-rows.js';
import { keyOf, lockRunHeads, writeLocked, type LockedHead } from '../log/locked-heads.js';
import type { RunOfMoment } from './run-of-moment.js';

/** What is noted about a run, and what the asker gets to know of it. */
export interface Note<T> {
  events: readonly StampedEvent[];
  result: T;
}

/** Decides what is noted about one run, from its locked head; undefined where there is no such run. */
export type DecideNote<T> = (head: LockedHead | undefined, run: RunOfMoment) => Note<T>;

/**
 * Appends what people note about runs, each named once, under the locks of their heads. A note moves no run: whoever
 * drives it goes on, and its place in the queue stays.
 */
export async function noteRuns<T>(
  tx: Queryable,
  runs: readonly RunOfMoment[],
  decideNote: DecideNote<T>,
): Promise<{ results: T[]; grown: GrownLog[] }> {
  const heads = await lockRunHeads(tx, runs);
  const notes = runs.map((run) => decideNote(heads.get(keyOf(run)), run));
  const writes = runs.flatMap((run, i) => {
    const head = heads.get(keyOf(run));
    const { events } = notes[i]!;
    if (!head || events.length === 0) return [];
    const { slot, runnableSeq, pendingControl, wakeAt } = head;
    return [{ head, events, slot, runnableSeq, pendingControl, wakeAt, epoch: null }];
  });
  const results = notes.map(({ result }) => result);
  if (writes.length === 0) return { results, grown: [] };
  const appends = await writeLocked(tx, writes);
  const grown = writes.map(({ head: { tenantId, runId, nextSeq }, events }, i) => {
    return { tenantId, runId, toSeq: nextSeq + events.length - 1, bodies: bodiesOf(appends[i]!) };
  });
  return { results, grown };
}

/** What becomes of a run that is noted something about: whether anything does, or why it stays as it was. */
export type Noted = boolean | RunyardError;

/** Notes what a command says about each run. With a `bornAt`, of that run: another one that has its id now is not there. */
export function obeying(command: HousekeepingCommand | LinkCommand, moment: Moment): DecideNote<Noted> {
  return (found, { runId, bornAt }) => {
    const head = bornAt === undefined || found?.bornAt === bornAt ? found : undefined;
    const decision = decide(runId, head, command, { failure: null }, moment);
    if (decision instanceof RunyardError) return { events: [], result: decision };
    if (typeof decision === 'string') throw new InvariantError(`"${command.kind}" is decided by the head alone.`);
    return { events: decision.events, result: decision.events.length > 0 };
  };
}
