import type { Control, RunKey } from '#libs/engine';
import { isProgress, type RunStatusKind, type StampedEvent } from '#libs/events';
import type { RunHead, Slot } from '#libs/runs';
import type { Queryable, Statement } from '../database.js';
import { bornAt } from './born-at.js';
import { prepared } from '../prepared.js';
import { encodeAppend, insertAppends, type EncodedAppend } from './event-rows.js';
import { isArchivedAfter, statusFrom } from './head-status.js';

/** A run head, locked until the end of the transaction: nobody appends to this run meanwhile. */
export interface LockedHead extends RunHead, RunKey {
  runId: RunKey['runId'];
  /** When the run was stored: tells it from an earlier or a later one with the same id. */
  bornAt: string;
  leaseOwner: string | null;
  nextSeq: number;
  runnableSeq: number | null;
  /** When a parked run is due, in milliseconds since the epoch; null means never. */
  wakeAt: number | null;
}

/** What is appended to a locked run, and what changes on its head. */
export interface LockedWrite {
  head: LockedHead;
  events: readonly StampedEvent[];
  /** Where the status does not follow from the events alone: one that was blocked before it was paused, say. */
  status?: RunStatusKind;
  slot: Slot;
  runnableSeq: number | null;
  pendingControl: Control | null;
  /** Counts while the run is parked. */
  wakeAt: number | null;
  /** Epoch under which the events are stored; null for events no worker wrote. */
  epoch: number | null;
}

/**
 * Who locks heads, and more than one statement follows, begins with this. A process that freezes with such a lock, or is cut
 * off, loses it before a worker that waits for it to renew its leases has to distrust them all.
 */
export const LOCK_HEADS = "SET LOCAL idle_in_transaction_session_timeout = '2s'";

const heads = `
SELECT h.tenant_id AS "tenantId", h.run_id AS "runId", h.status, h.slot, h.lease_owner AS "leaseOwner",
       h.lease_epoch AS "leaseEpoch", h.next_seq AS "nextSeq", h.runnable_seq AS "runnableSeq",
       h.pending_control AS "pendingControl", extract(epoch FROM h.wake_at)::float8 * 1000 AS "wakeAt",
       h.archived_at IS NOT NULL AS "isArchived",
       (SELECT ${bornAt('r.created_at')} FROM runs r WHERE r.tenant_id = h.tenant_id AND r.id = h.run_id) AS "bornAt"
  FROM run_heads h JOIN unnest($1::text[], $2::text[]) AS k(tenant_id, run_id)
    ON h.tenant_id = k.tenant_id AND h.run_id = k.run_id`;

const readHead: Statement = { name: 'read-head', text: heads };

const lockHeads: Statement = {
  name: 'lock-heads',
  text: `${heads} ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h`,
};

const writeHeads = prepared<readonly (LockedWrite & { encoded: EncodedAppend })[]>(
  'write-heads',
  (p) => `
WITH w AS (
  SELECT * FROM ${p.rows('w', (writes) => writes, {
    tenant_id: ['text', ({ head }) => head.tenantId],
    run_id: ['text', ({ head }) => head.runId],
    count: ['int', ({ events }) => events.length],
    status: ['text', ({ head, status, events }) => status ?? statusFrom(head.status, events)],
    slot: ['text', ({ slot }) => slot],
    runnable_seq: ['bigint', ({ runnableSeq }) => runnableSeq],
    pending_control: ['text', ({ pendingControl }) => pendingControl],
    epoch: ['bigint', ({ epoch }) => epoch],
    is_archived: ['boolean', ({ events }) => isArchivedAfter(events)],
    wake_at: ['timestamptz', ({ wakeAt }) => (wakeAt === null ? null : new Date(wakeAt).toISOString())],
    progress: ['boolean', ({ events }) => isProgress(events)],
  })}),
r AS (
  UPDATE run_heads h
     SET next_seq = h.next_seq + w.count, status = coalesce(w.status, h.status), slot = w.slot,
         slot_since = CASE WHEN w.slot = h.slot THEN h.slot_since ELSE clock_timestamp() END,
         runnable_seq = w.runnable_seq, pending_control = w.pending_control,
         wake_at = CASE WHEN w.slot = 'parked' THEN w.wake_at END,
         last_event_at = clock_timestamp(),
         epochs_without_progress = CASE WHEN w.progress THEN 0 ELSE h.epochs_without_progress END,
         archived_at = CASE w.is_archived WHEN true THEN clock_timestamp() WHEN false THEN NULL ELSE h.archived_at END,
         lost_at = CASE WHEN w.slot = 'held' THEN h.lost_at END,
         lease_owner = CASE WHEN w.slot = 'held' AND h.slot = 'held' THEN h.lease_owner END,
         lease_expires_at = CASE WHEN w.slot = 'held' AND h.slot = 'held' THEN h.lease_expires_at END
    FROM w WHERE h.tenant_id = w.tenant_id AND h.run_id = w.run_id
  RETURNING h.tenant_id, h.run_id, h.next_seq - w.count AS base, w.epoch)
${insertAppends(p, (writes) => writes.map(({ encoded }) => encoded), { runs: 'r', base: 'r.base', epoch: 'r.epoch' })}`,
);

/** A head as it stood a moment ago; nothing is locked. */
export async function readRunHead(db: Queryable, run: RunKey): Promise<LockedHead | undefined> {
  const [head] = await db.query<LockedHead>(readHead, [[run.tenantId], [run.runId]]);
  return head;
}

/** Locks heads in the order of their keys. A run that does not exist is missing from the result. */
export async function lockRunHeads(tx: Queryable, runs: readonly RunKey[]): Promise<Map<string, LockedHead>> {
  const heads = await tx.query<LockedHead>(lockHeads, [runs.map((run) => run.tenantId), runs.map((run) => run.runId)]);
  return new Map(heads.map((head) => [keyOf(head), head]));
}

/** Appends to locked runs and moves their heads. A lease ends whenever the slot is not held on. */
export async function writeLocked(tx: Queryable, writes: readonly LockedWrite[]): Promise<EncodedAppend[]> {
  const encoded = writes.map((write) => ({ ...write, encoded: encodeAppend(write.head, write.events) }));
  const { statement, values } = writeHeads(encoded);
  await tx.query(statement, values);
  return encoded.map((write) => write.encoded);
}

export function keyOf({ tenantId, runId }: RunKey): string {
  return `${tenantId} ${runId}`;
}
