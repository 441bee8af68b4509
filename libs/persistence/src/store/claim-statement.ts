import type { Statement } from '../database.js';
import { LEASE } from './append-statement.js';
import { OVER } from './head-status.js';

/**
 * Takes runs that hold a slot and have no living owner. SKIP LOCKED lets two workers claim side by side; each run has
 * one winner. A released lease is NULL; one that is there and over belonged to a worker that was lost.
 */
const claim = (filter: string): string => `
WITH c AS (
  SELECT h.tenant_id, h.run_id, h.lease_expires_at IS NOT NULL AS was_lost
    FROM run_heads h ${filter}
   WHERE h.slot = 'held' AND h.status NOT IN ${OVER}
     AND (h.lease_expires_at IS NULL OR h.lease_expires_at < clock_timestamp())
   ORDER BY h.runnable_seq FOR NO KEY UPDATE OF h SKIP LOCKED LIMIT $2),
r AS (
  UPDATE run_heads h
     SET lease_owner = $1, lease_epoch = h.lease_epoch + 1, lease_expires_at = clock_timestamp() + ${LEASE},
         epochs_without_progress = h.epochs_without_progress + c.was_lost::int
    FROM c WHERE h.tenant_id = c.tenant_id AND h.run_id = c.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch, h.next_seq, h.pending_control, h.epochs_without_progress, c.was_lost)
SELECT r.tenant_id AS "tenantId", r.run_id AS "runId", r.lease_epoch AS epoch, r.next_seq AS "nextSeq", r.was_lost AS "wasLost",
       r.epochs_without_progress AS "epochsWithoutProgress", r.pending_control AS "pendingControl",
       runs.spec_sha256 AS "specSha256", runs.source_directory AS "sourceDirectory", runs.sandbox_provider AS "sandboxProvider"
  FROM r JOIN runs ON runs.tenant_id = r.tenant_id AND runs.id = r.run_id`;

export const claimAny: Statement = { name: 'claim-any', text: claim('') };

export const claimHinted: Statement = {
  name: 'claim-hinted',
  text: claim(
    'JOIN unnest($3::text[], $4::text[]) AS k(tenant_id, run_id) ON h.tenant_id = k.tenant_id AND h.run_id = k.run_id',
  ),
};

export const renewLeases: Statement = {
  name: 'renew-leases',
  text: `
WITH l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id
    FROM run_heads h JOIN unnest($2::text[], $3::text[], $4::bigint[]) AS k(tenant_id, run_id, epoch)
      ON h.tenant_id = k.tenant_id AND h.run_id = k.run_id
   WHERE h.lease_owner = $1 AND h.lease_epoch = k.epoch AND h.slot = 'held' AND h.status NOT IN ${OVER}
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h)
UPDATE run_heads h SET lease_expires_at = clock_timestamp() + ${LEASE}
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.tenant_id AS "tenantId", h.run_id AS "runId", h.pending_control AS "pendingControl", h.next_seq - 1 AS "lastSeq"`,
};

/** Keeps the newest snapshot only, and none of an epoch that is over. */
export const saveSnapshot: Statement = {
  name: 'save-snapshot',
  text: `
WITH h AS (
  SELECT tenant_id, run_id FROM run_heads
   WHERE tenant_id = $1 AND run_id = $2 AND lease_owner = $3 AND lease_epoch = $4 AND slot = 'held'),
d AS (
  DELETE FROM run_snapshots s USING h WHERE s.tenant_id = h.tenant_id AND s.run_id = h.run_id AND s.seq < $5)
INSERT INTO run_snapshots (tenant_id, run_id, seq, state) SELECT tenant_id, run_id, $5, $6::json FROM h ON CONFLICT DO NOTHING`,
};
