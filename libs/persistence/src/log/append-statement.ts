import type { Statement } from '../database.js';
import { OVER } from './head-status.js';

/** How long a lease is good after a renewal or an append. */
export const LEASE = "interval '10 seconds'";

/** SQL: whether the head `h` is where the writer of `g` left it: no append of a worker came since, and nothing was lost. */
export const CONTINUES_CHAIN = 'h.last_append_id IS NOT DISTINCT FROM g.previous_id AND h.next_seq > g.known_seq';

/**
 * Appends to many runs at once, each fenced by its own epoch. Heads are locked in the order of their keys, which every
 * statement that locks several heads follows, so that none waits for another in a circle. A run that is missing from
 * the result is fenced: its epoch is over, this very append or a later one is stored already, or the log lacks what its
 * worker knows of it.
 */
export const appendStatement: Statement = {
  name: 'append',
  text: `
WITH g AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::int[], $6::uuid[], $7::text[], $8::boolean[], $16::uuid[], $17::bigint[])
    AS g(tenant_id, run_id, epoch, count, append_id, status, progress, previous_id, known_seq)),
l AS MATERIALIZED (
  SELECT g.*, h.next_seq AS base
    FROM run_heads h JOIN g ON h.tenant_id = g.tenant_id AND h.run_id = g.run_id
   WHERE h.lease_owner = $1 AND h.lease_epoch = g.epoch AND h.slot = 'held' AND h.status NOT IN ${OVER}
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
  INSERT INTO run_events (tenant_id, run_id, seq, epoch, id, event, ts, body)
  SELECT r.tenant_id, r.run_id, r.base + e.place, r.epoch, e.id, e.event, e.ts, e.body
    FROM r JOIN unnest($9::text[], $10::text[], $11::int[], $12::uuid[], $13::text[], $14::timestamptz[],
         string_to_array($15, chr(10))::json[])
      AS e(tenant_id, run_id, place, id, event, ts, body) ON e.tenant_id = r.tenant_id AND e.run_id = r.run_id)
SELECT tenant_id AS "tenantId", run_id AS "runId", base, pending_control AS "pendingControl" FROM r`,
};

/** An append whose reply was lost, if it is the newest of its run: its place is that of its first event. */
export const findAppendStatement: Statement = {
  name: 'find-append',
  text: `
SELECT coalesce(e.seq, h.next_seq) AS base, h.pending_control AS "pendingControl"
  FROM run_heads h
  LEFT JOIN run_events e ON e.tenant_id = h.tenant_id AND e.run_id = h.run_id AND e.id = $4::uuid
 WHERE h.tenant_id = $1 AND h.run_id = $2 AND h.last_append_id = $3`,
};
