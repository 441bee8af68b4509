import type { Lease } from '#libs/engine';
import { isProgress, type StampedEvent } from '#libs/events';
import type { Statement } from '../database.js';
import { prepared } from '../prepared.js';
import { insertAppends, type EncodedAppend } from './event-rows.js';
import { OVER, statusAfter } from './head-status.js';
import { chainOf, NEVER } from './lease-chain.js';

/** How long a lease is good after a renewal or an append. */
export const LEASE = "interval '10 seconds'";

/** SQL: whether the head `h` is where the writer of `g` left it: no append of a worker came since, and nothing was lost. */
export const CONTINUES_CHAIN = 'h.last_append_id IS NOT DISTINCT FROM g.previous_id AND h.next_seq > g.known_seq';

/** An append of one worker to one of its runs. */
interface LeasedAppend {
  lease: Lease;
  appendId: string;
  events: readonly StampedEvent[];
  encoded: EncodedAppend;
}

/**
 * Appends to many runs at once, each fenced by its own epoch. Heads are locked in the order of their keys, which every
 * statement that locks several heads follows, so that none waits for another in a circle. A run that is missing from
 * the result is fenced: its epoch is over, this very append or a later one is stored already, or the log lacks what its
 * worker knows of it.
 */
export const appendStatement = prepared<{ owner: string; appends: readonly LeasedAppend[] }>(
  'append',
  (p) => `
WITH g AS MATERIALIZED (
  SELECT * FROM ${p.rows('g', ({ appends }) => appends, {
    tenant_id: ['text', ({ lease }) => lease.tenantId],
    run_id: ['text', ({ lease }) => lease.runId],
    epoch: ['bigint', ({ lease }) => lease.epoch],
    count: ['int', ({ events }) => events.length],
    append_id: ['uuid', ({ appendId }) => appendId],
    status: ['text', ({ events }) => statusAfter(events)],
    progress: ['boolean', ({ events }) => isProgress(events)],
    previous_id: ['uuid', ({ lease }) => chainOf(lease)?.lastAppendId ?? null],
    known_seq: ['bigint', ({ lease }) => chainOf(lease)?.lastSeq ?? NEVER],
  })}),
l AS MATERIALIZED (
  SELECT g.*, h.next_seq AS base
    FROM run_heads h JOIN g ON h.tenant_id = g.tenant_id AND h.run_id = g.run_id
   WHERE h.lease_owner = ${p.value('text', ({ owner }) => owner)}
     AND h.lease_epoch = g.epoch AND h.slot = 'held' AND h.status NOT IN ${OVER}
     AND ${CONTINUES_CHAIN}
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h),
r AS (
  UPDATE run_heads h
     SET next_seq = h.next_seq + l.count, last_append_id = l.append_id, last_event_at = clock_timestamp(),
         lease_expires_at = clock_timestamp() + ${LEASE}, status = coalesce(l.status, h.status),
         epochs_without_progress = CASE WHEN l.progress THEN 0 ELSE h.epochs_without_progress END
    FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
  RETURNING h.tenant_id, h.run_id, l.base, l.epoch, h.pending_control),
i AS (
  ${insertAppends(p, ({ appends }) => appends.map(({ encoded }) => encoded), { runs: 'r', base: 'r.base', epoch: 'r.epoch' })})
SELECT tenant_id AS "tenantId", run_id AS "runId", base, pending_control AS "pendingControl" FROM r`,
);

/** An append whose reply was lost, if it is the newest of its run: its place is that of its first event. */
export const findAppendStatement: Statement = {
  name: 'find-append',
  text: `
SELECT coalesce(e.seq, h.next_seq) AS base, h.pending_control AS "pendingControl"
  FROM run_heads h
  LEFT JOIN run_events e ON e.tenant_id = h.tenant_id AND e.run_id = h.run_id AND e.id = $4::uuid
 WHERE h.tenant_id = $1 AND h.run_id = $2 AND h.last_append_id = $3`,
};
