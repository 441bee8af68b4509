import type { Clock } from '#libs/kernel';
import type { HeldRun, RunLedger, Slots } from '#libs/persistence';
import { storedWalk } from './stored-walk.js';

/**
 * Ends runs whose cancel no worker is there to hear: their lease ran out, or none was ever taken, and nobody claimed them
 * since. What their commands still do ends by itself, since nobody feeds them. Any number of processes may do it at once.
 */
export async function endUnheardCancels(slots: Slots, ledger: RunLedger, clock: Clock): Promise<void> {
  await Promise.all((await slots.unheardCancels()).map((run) => endUnheard(run, ledger, clock)));
}

/** A worker that claimed the run meanwhile has heard. */
function endUnheard({ epoch, ...run }: HeldRun, ledger: RunLedger, clock: Clock): Promise<void> {
  return ledger.change(run, async ({ slot, pendingControl, leaseEpoch }, load) => {
    if (slot !== 'held' || pendingControl !== 'cancel' || leaseEpoch !== epoch) return null;
    const { events } = storedWalk(run.runId, await load(), clock).cancel();
    return { events, slot: 'none', pendingControl: null };
  });
}
