import { LeaseLostError, type Appended, type Lease, type StoredState } from '#libs/engine';
import type { StampedEvent } from '#libs/events';
import { isOver } from '#libs/runs';
import type { Database } from '../database.js';
import type { GrownLog } from './commit-signals.js';
import { bodiesOf } from './event-rows.js';
import { chainOf, NEVER, reached } from './lease-chain.js';
import { keyOf, LOCK_HEADS, lockRunHeads, writeLocked } from './locked-heads.js';
import { readOthers } from './read-log.js';

/**
 * Decides and appends while the head is locked, so that nobody can append in between. Sent once: `decide` changes what
 * its caller knows of the run, so it is never asked a second time.
 */
export function appendLocked(
  database: Database,
  lease: Lease,
  othersSeq: number,
  decide: (others: StoredState['tail']) => readonly StampedEvent[],
): Promise<{ appended: Appended; grown: GrownLog | null }> {
  return database.transactionOnce(async (tx) => {
    const head = (await lockRunHeads(tx, [lease])).get(keyOf(lease));
    const isHeld = head?.slot === 'held' && head.leaseOwner === lease.owner && head.leaseEpoch === lease.epoch;
    if (!isHeld || isOver(head.status)) throw new LeaseLostError(lease);
    if (head.nextSeq <= (chainOf(lease)?.lastSeq ?? NEVER)) throw new LeaseLostError(lease);
    reached(lease, head.nextSeq - 1);
    const events = decide(await readOthers(tx, lease, othersSeq));
    const { nextSeq: base, pendingControl, slot, runnableSeq, wakeAt } = head;
    if (events.length === 0) return { appended: { base, pendingControl }, grown: null };
    const [append] = await writeLocked(tx, [
      { head, events, slot, runnableSeq, pendingControl, wakeAt, epoch: lease.epoch },
    ]);
    const { tenantId, runId } = lease;
    const grown = { tenantId, runId, toSeq: base + events.length - 1, bodies: bodiesOf(append!) };
    return { appended: { base, pendingControl }, grown };
  }, LOCK_HEADS);
}
