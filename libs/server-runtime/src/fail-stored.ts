import { endUnread } from '#libs/engine';
import type { FailureDetail, RunFailureReason, StampedEvent } from '#libs/events';
import { RunyardError, type Clock, type RunId } from '#libs/kernel';
import { isDatabaseFault, type RunLedger } from '#libs/persistence';
import { storedWalk } from './stored-walk.js';

/** Reads where a run stands. */
type Load = () => ReturnType<RunLedger['state']>;

/**
 * The events with which a run ends that no worker drives. Where nobody can read how it stands they are the end alone, so
 * that every run can be ended. Rejects when the database, or the place where the log lies, is away.
 */
export async function failStored(
  runId: RunId,
  load: Load,
  clock: Clock,
  reason: RunFailureReason,
  detail: FailureDetail,
): Promise<readonly StampedEvent[]> {
  try {
    return storedWalk(runId, await load(), clock).fail(reason, detail).events;
  } catch (thrown) {
    const isAway = thrown instanceof RunyardError && thrown.kind === 'unavailable';
    if (isAway || isDatabaseFault(thrown)) throw thrown;
    return [endUnread(reason, detail, clock.now())];
  }
}
