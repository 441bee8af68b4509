import { CANCELLED } from '#libs/engine';
import { messageOf, type Clock } from '#libs/kernel';
import type { HeldRun, RunLedger, Slots } from '#libs/persistence';
import { failStored } from './fail-stored.js';
import type { Logger } from './logger.js';

/**
 * Ends runs whose cancel no worker is there to hear: their lease ran out, or none was ever taken, and nobody claimed them
 * since. What their commands still do ends by itself, since nobody feeds them. Any number of processes may do it at once;
 * one run that cannot be ended keeps no other from its end.
 */
export async function endUnheardCancels(
  slots: Slots,
  ledger: RunLedger,
  clock: Clock,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const run of await slots.unheardCancels()) {
    try {
      await endUnheard(run, ledger, clock);
    } catch (thrown) {
      const { runId, tenantId: tenant } = run;
      log.warn({ run: runId, tenant, error: messageOf(thrown) }, 'A run that nobody drives could not be cancelled.');
    }
  }
}

/** A worker that claimed the run meanwhile has heard. */
function endUnheard({ epoch, ...run }: HeldRun, ledger: RunLedger, clock: Clock): Promise<void> {
  return ledger.change(run, async ({ slot, pendingControl, leaseEpoch }, load) => {
    if (slot !== 'held' || pendingControl !== 'cancel' || leaseEpoch !== epoch) return null;
    const events = await failStored(run.runId, load, clock, 'cancelled', CANCELLED);
    return { events, slot: 'none', pendingControl: null };
  });
}
