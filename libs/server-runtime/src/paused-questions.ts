import { messageOf, type Clock } from '#libs/kernel';
import type { DueRun, RunLedger, Slots } from '#libs/persistence';
import type { Logger } from './logger.js';
import { storedWalk } from './stored-walk.js';

/** What cannot be closed now is tried again after this, and keeps no other question from its turn. */
const AGAIN_MS = 60_000;

/** Closes the questions of paused runs that nobody answered in time. Any number of processes may do it at once. */
export async function closeOverdueQuestions(
  slots: Slots,
  ledger: RunLedger,
  clock: Clock,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const run of await slots.duePaused()) {
    try {
      await closeOverdue(run, ledger, clock);
    } catch (thrown) {
      await slots.postpone(run, AGAIN_MS);
      const { runId, tenantId: tenant } = run;
      log.warn({ run: runId, tenant, error: messageOf(thrown) }, 'The overdue questions of a run could not be closed.');
    }
  }
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
