import { ENGINE_VERSION, POISON_EPOCHS, STATE_VERSION, SUSPECT_EPOCHS } from '#libs/engine';
import type { Statement } from '../database.js';
import { DATABASE_NOW } from './clock-follower.js';
import { LEASE } from '../log/append-statement.js';
import { bornAt } from '../log/born-at.js';
import { OVER } from '../log/head-status.js';

/** A lease that is there and over belonged to a worker that was lost; one that was given back is NULL. */
const WAS_LOST = 'h.lease_expires_at IS NOT NULL';

/**
 * SQL: the epochs that the run of the head `h` has lost without progress. One whose lease was not renewed since PostgreSQL restarted, or since a
 * standby was promoted, is not counted: who could not renew meanwhile lost all leases, and no run is to blame. A version
 * that knows no incarnations fills the start of the server alone.
 */
export const LOST_EPOCHS = `h.epochs_without_progress
  + (${WAS_LOST} AND h.lease_postmaster_started_at IS NOT DISTINCT FROM pg_postmaster_start_time()
     AND coalesce(h.lease_incarnation = server_incarnation(), true))::int`;

const isSuspect = (lostEpochs: string): string => `${lostEpochs} BETWEEN ${SUSPECT_EPOCHS} AND ${POISON_EPOCHS - 1}`;

/** What a claim chooses from. */
interface Choice {
  /** Joins those that are named, if any are. */
  named: string;
  /** That nobody has the run. */
  free: string;
  /** Those that lost a worker first, then by the time they wait. */
  inTurn: string;
}

/** All of them, through an index of their own: a lease that is over is in it once upkeep has seen that it is. */
const ANY: Choice = { named: '', free: 'h.lease_owner IS NULL', inTurn: 'h.lost_at, h.slot_since' };

const HINTED: Choice = {
  named:
    'JOIN unnest($4::text[], $5::text[]) AS k(tenant_id, run_id) ON h.tenant_id = k.tenant_id AND h.run_id = k.run_id',
  free: '(h.lease_owner IS NULL OR h.lease_expires_at < clock_timestamp())',
  inTurn: `NOT (${WAS_LOST}), h.slot_since`,
};

const claimable = ({ named, free }: Choice): string => `
  SELECT h.tenant_id, h.run_id, ${WAS_LOST} AS was_lost, ${LOST_EPOCHS} AS lost_epochs,
         runs.spec_sha256, runs.source_directory, runs.sandbox_provider, runs.engine_version, ${bornAt('runs.created_at')} AS born_at
    FROM run_heads h JOIN runs ON runs.tenant_id = h.tenant_id AND runs.id = h.run_id ${named}
   WHERE h.slot = 'held' AND ${free} AND h.status NOT IN ${OVER} AND runs.engine_version <= ${ENGINE_VERSION}`;

/** The same keys as arrays: the planner believes that these are few, and not a tenth of all runs. */
const FEW = 'unnest(ARRAY(SELECT tenant_id FROM c), ARRAY(SELECT run_id FROM c)) AS k(tenant_id, run_id)';

/**
 * Takes runs that hold a slot and have no living owner. SKIP LOCKED lets two workers claim side by side; each run has
 * one winner. A suspect comes first, and alone: who drives one gets no other until that one makes progress or is over,
 * so that the run that ends its workers never takes the others' last chance with it. Then come the runs that
 * lost a worker, before those that wait for one since they were promoted; of each kind the one that has waited longest,
 * whoever its tenant is. What it costs depends on how many runs it takes and how many suspects there are, and on nothing
 * else. A run of an older engine is one of this engine from then on.
 */
const claim = (choice: Choice): string => `
WITH s AS (
  ${claimable(choice)} AND h.epochs_without_progress > 0 AND ${isSuspect(LOST_EPOCHS)}
   ORDER BY h.slot_since FOR NO KEY UPDATE OF h SKIP LOCKED
   LIMIT (NOT EXISTS (SELECT FROM run_heads WHERE slot = 'held' AND lease_owner = $1 AND lease_expires_at > clock_timestamp()
                         AND epochs_without_progress > 0 AND ${isSuspect('epochs_without_progress')}))::int),
o AS (
  ${claimable(choice)} AND NOT (${isSuspect(LOST_EPOCHS)})
   ORDER BY ${choice.inTurn} FOR NO KEY UPDATE OF h SKIP LOCKED LIMIT $2 - (SELECT count(*) FROM s)),
c AS (SELECT * FROM s UNION ALL SELECT * FROM o),
r AS (
  UPDATE run_heads h
     SET lease_owner = $1, claim_id = $3, lease_epoch = h.lease_epoch + 1, lease_expires_at = clock_timestamp() + ${LEASE}, lost_at = NULL,
         awaited_engine = NULL, lease_postmaster_started_at = pg_postmaster_start_time(), lease_incarnation = server_incarnation(),
         epochs_without_progress = c.lost_epochs
    FROM ${FEW} JOIN c USING (tenant_id, run_id) WHERE h.tenant_id = k.tenant_id AND h.run_id = k.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch, h.next_seq, h.last_append_id, h.pending_control, c.was_lost, c.lost_epochs, c.spec_sha256,
            c.source_directory, c.sandbox_provider, c.born_at),
v AS (
  UPDATE runs SET engine_version = ${ENGINE_VERSION} FROM ${FEW} JOIN c USING (tenant_id, run_id)
   WHERE c.engine_version < ${ENGINE_VERSION} AND runs.tenant_id = k.tenant_id AND runs.id = k.run_id)
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch AS epoch, next_seq AS "nextSeq", last_append_id AS "lastAppendId", was_lost AS "wasLost",
       lost_epochs AS "epochsWithoutProgress", pending_control AS "pendingControl", spec_sha256 AS "specSha256",
       source_directory AS "sourceDirectory", sandbox_provider AS "sandboxProvider", born_at AS "bornAt", ${DATABASE_NOW} AS now
  FROM r`;

export const claimAny: Statement = { name: 'claim-any', text: claim(ANY) };

export const claimHinted: Statement = { name: 'claim-hinted', text: claim(HINTED) };

export const renewLeases: Statement = {
  name: 'renew-leases',
  text: `
WITH l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id
    FROM run_heads h JOIN unnest($2::text[], $3::text[], $4::bigint[]) AS k(tenant_id, run_id, epoch)
      ON h.tenant_id = k.tenant_id AND h.run_id = k.run_id
   WHERE h.lease_owner = $1 AND h.lease_epoch = k.epoch AND h.slot = 'held' AND h.status NOT IN ${OVER}
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h)
UPDATE run_heads h
   SET lease_expires_at = clock_timestamp() + ${LEASE}, lease_postmaster_started_at = pg_postmaster_start_time(),
       lease_incarnation = server_incarnation()
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.tenant_id AS "tenantId", h.run_id AS "runId", h.lease_epoch AS epoch, h.pending_control AS "pendingControl", h.next_seq - 1 AS "lastSeq",
          ${DATABASE_NOW} AS now`,
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
INSERT INTO run_snapshots (tenant_id, run_id, seq, state, version)
SELECT tenant_id, run_id, $5, $6::json, ${STATE_VERSION} FROM h ON CONFLICT DO NOTHING`,
};
