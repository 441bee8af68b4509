import { messageOf } from '#libs/kernel';
import type { RunLedger, Slots } from '#libs/persistence';
import type { Logger } from './logger.js';

/** What cannot be closed now is tried again after this, and keeps no other question from its turn. */
const AGAIN_MS = 60_000;

/** Closes the questions of paused runs that nobody answered in time. Any number of processes may do it at once. */
export async function closeOverdueQuestions(slots: Slots, ledger: RunLedger, log: Pick<Logger, 'warn'>): Promise<void> {
  for (const { dueAtMs, ...run } of await slots.duePaused()) {
    try {
      await ledger.change(run, { kind: 'time_out', dueAtMs });
    } catch (thrown) {
      await slots.postpone(run, AGAIN_MS);
      const { runId, tenantId: tenant } = run;
      log.warn({ run: runId, tenant, error: messageOf(thrown) }, 'The overdue questions of a run could not be closed.');
    }
  }
}
