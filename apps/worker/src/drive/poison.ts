import { CANCELLED, endUnread, POISON_EPOCHS, type ClaimedRun } from '#libs/engine';
import type { FailureDetail } from '#libs/events';
import type { DriverParts } from './driver-parts.js';

/** Why a run is not executed any more that lost one worker after the other. */
export function workersLost(count: number): FailureDetail {
  const message = `${count} workers in a row were lost while they drove this run.`;
  return { message, category: 'transient_infra', signature: 'worker_lost' };
}

/**
 * Ends a run without a look at where it stands when the worker that was to end it as poison was lost, too: to read it may
 * be what no worker outlives. False for every other run.
 */
export async function endedUnopened(
  { lease, epochsWithoutProgress, pendingControl }: ClaimedRun,
  { store, clock }: Pick<DriverParts, 'store' | 'clock'>,
): Promise<boolean> {
  if (epochsWithoutProgress <= POISON_EPOCHS) return false;
  const end =
    pendingControl === 'cancel'
      ? endUnread('cancelled', CANCELLED, clock.now())
      : endUnread('terminated', workersLost(epochsWithoutProgress), clock.now());
  await store.release(lease, { events: [end], slot: 'none', wakeAt: null, state: null });
  return true;
}
