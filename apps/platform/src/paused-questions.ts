import type { RunKey } from '#libs/engine';
import { messageOf, type Clock } from '#libs/kernel';
import type { RunLedger, Slots } from '#libs/persistence';
import type { Logger } from './logger.js';
import { storedWalk } from './stored-walk.js';

/** Closes the questions of paused runs that nobody answered in time. Any number of processes may do it at once. */
export async function closeOverdueQuestions(slots: Slots, ledger: RunLedger, clock: Clock, log: Logger): Promise<void> {
  const each = async (due: RunKey): Promise<void> => {
    try {
      await closeOverdue(due, ledger, clock);
    } catch (thrown) {
      const { tenantId: tenant, runId: run } = due;
      log.warn(
        { run, tenant, error: messageOf(thrown) },
        'An overdue question could not be closed; it is tried again.',
      );
    }
  };
  await Promise.all((await slots.duePaused()).map(each));
}

/** The run stays paused; what follows from the end of a question begins when it goes on. */
function closeOverdue(run: RunKey, ledger: RunLedger, clock: Clock): Promise<void> {
  return ledger.change(run, async ({ status, slot }, load) => {
    if (status !== 'paused' || slot !== 'parked') return null;
    const { events, wakeAt } = storedWalk(run.runId, await load(), clock).settle();
    return events.length === 0 ? null : { events, status, wakeAt };
  });
}
