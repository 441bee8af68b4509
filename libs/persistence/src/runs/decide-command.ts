import type { RunFailureReason } from '#libs/events';
import { RunyardError } from '#libs/kernel';
import { decide, type Change, type Known, type Moment, type RunCommand } from '#libs/runs';
import { isDatabaseFault } from '../errors.js';
import type { LockedHead } from '../log/locked-heads.js';
import type { Loaded } from './change-run.js';

/** What a decision may ask for that is not on the head. */
export interface Readers {
  course(): Promise<Loaded>;
  /** Why the run failed; null where its log does not say. */
  failure(): Promise<RunFailureReason | null>;
}

/** Decides a command, and reads for it what it asks for. Throws the refusal; null where nothing is to be done. */
export async function decideCommand(
  runId: string,
  head: LockedHead | undefined,
  command: RunCommand,
  moment: Moment,
  read: Readers,
): Promise<Change | null> {
  const known: Known = {};
  for (;;) {
    const decision = decide(runId, head, command, known, moment);
    if (decision === 'course') known.course = await courseOrFault(read);
    else if (decision === 'failure') known.failure = await failureOrNull(read);
    else if (decision instanceof RunyardError) throw decision;
    else return decision.events.length === 0 ? null : decision;
  }
}

/** Rejects when the database, or the place where the log lies, is away: that says nothing about the log. */
async function courseOrFault(read: Readers): Promise<NonNullable<Known['course']>> {
  try {
    return await read.course();
  } catch (thrown) {
    const isAway = thrown instanceof RunyardError && thrown.kind === 'unavailable';
    if (isAway || isDatabaseFault(thrown) || !(thrown instanceof Error)) throw thrown;
    return { unread: thrown };
  }
}

/** The refusal stands, whether or not anybody can read now why the run failed. */
async function failureOrNull(read: Readers): Promise<RunFailureReason | null> {
  try {
    return await read.failure();
  } catch (thrown) {
    if (thrown instanceof RunyardError) return null;
    throw thrown;
  }
}
