import { CANCELLED } from '#libs/engine';
import { messageOf, type Clock } from '#libs/kernel';
import type { HeldRun, RunLedger, Slots } from '#libs/persistence';
import { failStored } from './fail-stored.js';
import type { Logger } from './logger.js';

/**
 * Ends runs whose cancel no worker is there to hear: their lease ran out, or none was ever taken, and nobody claimed them
 * since. What their commands still do ends by itself, since nobody feeds them. Any number of processes may do it at once.
 */
export async function endUnheardCancels(slots: Slots, ledger: RunLedger, clock: Clock, log: Logger): Promise<void> {
  const each = async (held: HeldRun): Promise<void> => {
    try {
      await endUnheard(held, ledger, clock);
    } catch (thrown) {
      const { tenantId: tenant, runId: run } = held;
      log.warn({ run, tenant, error: messageOf(thrown) }, 'A cancelled run could not be ended; it is tried again.');
    }
  };
  await Promise.all((await slots.unheardCancels()).map(each));
}

/** A worker that claimed the run meanwhile has heard. */
function endUnheard({ epoch, ...run }: HeldRun, ledger: RunLedger, clock: Clock): Promise<void> {
  return ledger.change(run, async ({ slot, pendingControl, leaseEpoch }, load) => {
    if (slot !== 'held' || pendingControl !== 'cancel' || leaseEpoch !== epoch) return null;
    const events = await failStored(run.runId, load, clock, 'cancelled', CANCELLED);
    return { events, slot: 'none', pendingControl: null };
  });
}
