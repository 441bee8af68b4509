import type { Lease } from '#libs/engine';
import { stamp } from '#libs/events';
import { isOver } from '#libs/runs';
import type { Database, Queryable, Statement } from '../database.js';
import type { GrownLog } from './commit-signals.js';
import { bodiesOf } from './event-rows.js';
import { chainOf } from './lease-chain.js';
import { keyOf, LOCK_HEADS, lockRunHeads, writeLocked, type LockedHead } from './locked-heads.js';

/** A log that is shorter than what a worker has stored in it: another server took over that never had its end. */
export interface LostTail {
  lease: Lease;
  /** The seq up to which the worker has stored, or read, the log. */
  knownSeq: number;
  /** Where the log ends now. */
  logSeq: number;
}

/** Lost, and nobody's fault: whoever claims the run takes it over, and counts nothing. */
const endBlamelessly: Statement = {
  name: 'end-lease-blamelessly',
  text: `
UPDATE run_heads
   SET lease_owner = NULL, lease_expires_at = clock_timestamp() - interval '1 millisecond',
       lease_postmaster_started_at = NULL, lease_incarnation = NULL
 WHERE tenant_id = $1 AND run_id = $2`,
};

/**
 * Looks why a lease was refused. Where the log lacks what this worker knows of it, the run says so and the lease ends, so
 * that another epoch goes on from what is there; null when the lease was lost in any other way.
 */
export function findLostTail(
  database: Database,
  lease: Lease,
  nowMs: number,
): Promise<{ lost: LostTail; grown: GrownLog } | null> {
  return database.transaction(async (tx) => {
    const head = (await lockRunHeads(tx, [lease])).get(keyOf(lease));
    const knownSeq = chainOf(lease)?.lastSeq;
    if (!head || knownSeq === undefined || !isBehind(head, lease)) return null;
    const lost = { lease, knownSeq, logSeq: head.nextSeq - 1 };
    const grown = await say(tx, head, lost, nowMs);
    if (isHeldBy(head, lease)) await tx.query(endBlamelessly, [lease.tenantId, lease.runId]);
    return { lost, grown };
  }, LOCK_HEADS);
}

/** A lease that is still good is refused for its place in the log only; and no epoch ever goes back. */
function isBehind(head: LockedHead, lease: Lease): boolean {
  if (isOver(head.status)) return false;
  return isHeldBy(head, lease) || head.leaseEpoch < lease.epoch;
}

function isHeldBy({ slot, leaseOwner, leaseEpoch }: LockedHead, { owner, epoch }: Lease): boolean {
  return slot === 'held' && leaseOwner === owner && leaseEpoch === epoch;
}

async function say(
  tx: Queryable,
  head: LockedHead,
  { lease, knownSeq, logSeq }: LostTail,
  nowMs: number,
): Promise<GrownLog> {
  const message = `The database went back to an earlier state: epoch ${lease.epoch} knew the log up to seq ${knownSeq}, and it ended at seq ${logSeq}. The run goes on from there; what came after it may be done again.`;
  const event = stamp({ event: 'run.notice', properties: { level: 'error', code: 'log_tail_lost', message } }, nowMs);
  const { slot, runnableSeq, pendingControl, wakeAt, tenantId, runId } = head;
  const [append] = await writeLocked(tx, [
    { head, events: [event], slot, runnableSeq, pendingControl, wakeAt, epoch: null },
  ]);
  return { tenantId, runId, toSeq: head.nextSeq, bodies: bodiesOf(append!) };
}
