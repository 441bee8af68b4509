import { messageOf } from '#libs/kernel';
import type { RunLedger, Slots } from '#libs/persistence';
import type { Logger } from './logger.js';

/**
 * Ends runs whose cancel no worker is there to hear: their lease ran out, or none was ever taken, and nobody claimed them
 * since. What their commands still do ends by itself, since nobody feeds them. Any number of processes may do it at once;
 * one run that cannot be ended keeps no other from its end.
 */
export async function endUnheardCancels(slots: Slots, ledger: RunLedger, log: Pick<Logger, 'warn'>): Promise<void> {
  for (const { epoch, ...run } of await slots.unheardCancels()) {
    try {
      await ledger.change(run, { kind: 'end_unheard', epoch });
    } catch (thrown) {
      const { runId, tenantId: tenant } = run;
      log.warn({ run: runId, tenant, error: messageOf(thrown) }, 'A run that nobody drives could not be cancelled.');
    }
  }
}
