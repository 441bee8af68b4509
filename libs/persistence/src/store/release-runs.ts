import type { Lease, Release, Released } from '#libs/engine';
import { isTerminal } from '#libs/events';
import type { Database, Queryable, Statement } from '../database.js';
import { keyOf, lockRunHeads, writeLocked, type LockedHead, type LockedWrite } from './locked-heads.js';
import { lockSlots, promote, type Promotion } from './promote.js';

export interface ReleaseRequest {
  lease: Lease;
  release: Release;
}

interface Outcome {
  /** In the order of the requests; undefined where the lease was lost. */
  results: (Released | undefined)[];
  writes: LockedWrite[];
  promotion: Promotion;
}

const saveSnapshots: Statement = {
  name: 'save-snapshots',
  text: `
INSERT INTO run_snapshots (tenant_id, run_id, seq, state)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::json[])
ON CONFLICT DO NOTHING`,
};

/**
 * The last appends of several leases in one transaction: events, slots given back, and the runs that get them. A lease
 * that was lost, or a run that a control request reached first, is left as it is.
 */
export async function releaseRuns(
  database: Database,
  requests: readonly ReleaseRequest[],
  nowMs: number,
): Promise<Outcome> {
  return database.transaction(async (tx) => {
    const free = await lockSlots(tx);
    const heads = await lockRunHeads(
      tx,
      requests.map(({ lease }) => lease),
    );
    const writes: LockedWrite[] = [];
    const snapshots: { head: LockedHead; seq: number; state: string }[] = [];
    const results = requests.map(({ lease, release }): Released | undefined => {
      const head = heads.get(keyOf(lease));
      if (!head || !holds(lease, head)) return undefined;
      if (head.pendingControl !== null && release.slot !== 'none')
        return { released: false, controlled: head.pendingControl };
      const { slot, events, wakeAt, state } = release;
      const pendingControl = slot === 'none' ? null : head.pendingControl;
      writes.push({ head, events, slot, runnableSeq: head.runnableSeq, pendingControl, wakeAt, epoch: lease.epoch });
      if (state) snapshots.push({ head, seq: head.nextSeq + events.length - 1, state });
      return { released: true };
    });
    await writeLocked(tx, writes);
    await save(tx, snapshots);
    const promotion = await promote(tx, free + writes.length, nowMs);
    return { results, writes, promotion };
  });
}

/** The fence: nothing of an old epoch, and nothing after the end. */
function holds(lease: Lease, head: LockedHead): boolean {
  const mine = head.leaseOwner === lease.owner && head.leaseEpoch === lease.epoch && head.slot === 'held';
  return mine && !isTerminal(head.status) && head.status !== 'removing';
}

async function save(
  tx: Queryable,
  snapshots: readonly { head: LockedHead; seq: number; state: string }[],
): Promise<void> {
  if (snapshots.length === 0) return;
  await tx.query(saveSnapshots, [
    snapshots.map(({ head }) => head.tenantId),
    snapshots.map(({ head }) => head.runId),
    snapshots.map(({ seq }) => seq),
    snapshots.map(({ state }) => state),
  ]);
}
