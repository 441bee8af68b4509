import type { Clock } from '#libs/kernel';
import type { DueRun, RunLedger, Slots } from '#libs/persistence';
import { storedWalk } from './stored-walk.js';

/** Closes the questions of paused runs that nobody answered in time. Any number of processes may do it at once. */
export async function closeOverdueQuestions(slots: Slots, ledger: RunLedger, clock: Clock): Promise<void> {
  await Promise.all((await slots.duePaused()).map((run) => closeOverdue(run, ledger, clock)));
}

/**
 * The run stays paused; what follows from the end of a question begins when it goes on. What the database found due is due,
 * however little this process's clock is behind.
 */
function closeOverdue({ dueAtMs, ...run }: DueRun, ledger: RunLedger, clock: Clock): Promise<void> {
  return ledger.change(run, async ({ status, slot }, load) => {
    if (status !== 'paused' || slot !== 'parked') return null;
    const atLeastDue = { now: () => Math.max(clock.now(), dueAtMs) };
    const { events, wakeAt } = storedWalk(run.runId, await load(), atLeastDue).settle();
    return events.length === 0 ? null : { events, status, wakeAt };
  });
}
