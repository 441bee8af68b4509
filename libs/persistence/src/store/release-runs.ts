import { STATE_VERSION, type Control, type Lease, type Release, type Released, type RunKey } from '#libs/engine';
import { isProgress } from '#libs/events';
import type { Database, PreparedQuery, Statement } from '../database.js';
import { CONTINUES_CHAIN, findAppendStatement } from './append-statement.js';
import type { GrownLog } from './commit-signals.js';
import { bodiesOf, encodeAppend, eventParameters } from './event-rows.js';
import { OVER, PAUSED, statusAfter } from './head-status.js';
import { chainOf, NEVER } from './lease-chain.js';
import { keyOf } from './locked-heads.js';
import { LOCK_SLOTS, promotion, type Promoted } from './promote.js';

export interface ReleaseRequest {
  lease: Lease;
  release: Release;
  /** Left on the head, so that a release whose reply was lost can be recognised. */
  appendId: string;
}

interface ReleasedRuns {
  /** In the order of the requests; undefined where the lease was lost. */
  results: (Released | undefined)[];
  grown: GrownLog[];
  promoted: Promoted[];
}

/**
 * The last appends of several leases, each fenced like any other append. A run that a control request or an event of
 * others reached first is left as it is unless it ends here. Every head that exists and is still held by its lease is in the result.
 */
const releaseStatement: Statement = {
  name: 'release-runs',
  text: `
WITH g AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::text[], $8::timestamptz[], $9::json[], $10::uuid[], $11::bigint[], $19::boolean[], $20::uuid[], $21::bigint[])
    AS g(tenant_id, run_id, owner, epoch, count, status, slot, wake_at, state, append_id, expected_seq, progress, previous_id, known_seq)),
l AS MATERIALIZED (
  SELECT g.*, h.next_seq AS base, h.pending_control,
         g.slot = 'none' OR (h.next_seq = coalesce(g.expected_seq, h.next_seq)
           AND (h.pending_control IS NULL OR (h.pending_control = 'pause' AND g.status IN ${PAUSED}))) AS allowed
    FROM run_heads h JOIN g ON h.tenant_id = g.tenant_id AND h.run_id = g.run_id
   WHERE h.lease_owner = g.owner AND h.lease_epoch = g.epoch AND h.slot = 'held' AND h.status NOT IN ${OVER}
     AND ${CONTINUES_CHAIN}
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h),
r AS (
  UPDATE run_heads h
     SET next_seq = h.next_seq + l.count, status = coalesce(l.status, h.status), slot = l.slot, slot_since = clock_timestamp(),
         wake_at = l.wake_at,
         pending_control = NULL, lease_owner = NULL, lease_expires_at = NULL, last_event_at = clock_timestamp(),
         last_append_id = l.append_id,
         epochs_without_progress = CASE WHEN l.progress THEN 0 ELSE h.epochs_without_progress END
    FROM l WHERE l.allowed AND h.tenant_id = l.tenant_id AND h.run_id = l.run_id
  RETURNING h.tenant_id, h.run_id, l.base, l.epoch, l.count, l.state),
i AS (
  INSERT INTO run_events (tenant_id, run_id, seq, epoch, id, event, ts, body)
  SELECT r.tenant_id, r.run_id, r.base + e.place, r.epoch, e.id, e.event, e.ts, e.body
    FROM r JOIN unnest($12::text[], $13::text[], $14::int[], $15::uuid[], $16::text[], $17::timestamptz[],
         string_to_array($18, chr(10))::json[])
      AS e(tenant_id, run_id, place, id, event, ts, body) ON e.tenant_id = r.tenant_id AND e.run_id = r.run_id),
s AS (
  INSERT INTO run_snapshots (tenant_id, run_id, seq, state, version)
  SELECT tenant_id, run_id, base + count - 1, state, ${STATE_VERSION} FROM r WHERE state IS NOT NULL ON CONFLICT DO NOTHING)
SELECT l.tenant_id AS "tenantId", l.run_id AS "runId", l.base + l.count - 1 AS "toSeq", l.allowed, l.pending_control AS "pendingControl"
  FROM l`,
};

type Row = RunKey & { toSeq: number; allowed: boolean; pendingControl: Control | null };

/** Events, slots given back, and the runs that get them, in one transaction. */
export async function releaseRuns(
  database: Database,
  requests: readonly ReleaseRequest[],
  nowMs: number,
): Promise<ReleasedRuns> {
  const [released, promoted] = await database.together(
    LOCK_SLOTS,
    releasing(requests),
    promotion(nowMs, requests.length),
  );
  return { ...released, promoted };
}

function releasing(requests: readonly ReleaseRequest[]): PreparedQuery<Row, Omit<ReleasedRuns, 'promoted'>> {
  const appends = requests.map(({ lease, release }) => encodeAppend(lease, release.events));
  return {
    statement: releaseStatement,
    values: [
      requests.map(({ lease }) => lease.tenantId),
      requests.map(({ lease }) => lease.runId),
      requests.map(({ lease }) => lease.owner),
      requests.map(({ lease }) => lease.epoch),
      requests.map(({ release }) => release.events.length),
      requests.map(({ release }) => statusAfter(release.events)),
      requests.map(({ release }) => release.slot),
      requests.map(({ release }) => (release.wakeAt === null ? null : new Date(release.wakeAt).toISOString())),
      requests.map(({ release }) => release.state),
      requests.map(({ appendId }) => appendId),
      requests.map(({ release }) => release.expectedSeq ?? null),
      ...eventParameters(appends),
      requests.map(({ release }) => isProgress(release.events)),
      requests.map(({ lease }) => chainOf(lease)?.lastAppendId ?? null),
      requests.map(({ lease }) => chainOf(lease)?.lastSeq ?? NEVER),
    ],
    read: (rows) => {
      const byRun = new Map(rows.map((row) => [keyOf(row), row]));
      const results = requests.map(({ lease }) => released(byRun.get(keyOf(lease))));
      const grown = requests.flatMap(({ lease }, i) => {
        const row = byRun.get(keyOf(lease));
        const { tenantId, runId } = lease;
        return row?.allowed ? [{ tenantId, runId, toSeq: row.toSeq, bodies: bodiesOf(appends[i]!) }] : [];
      });
      return { results, grown };
    },
  };
}

/** Whether this release is the newest append of its run: then it was stored, and what ended the lease was itself. */
export async function isReleased(database: Database, { lease, release, appendId }: ReleaseRequest): Promise<boolean> {
  const { tenantId, runId } = lease;
  const found = await database.queryAgain(findAppendStatement, [tenantId, runId, appendId, release.events[0]?.id]);
  return found.length > 0;
}

function released(row: Row | undefined): Released | undefined {
  if (!row) return undefined;
  if (row.allowed) return { released: true };
  return { released: false, pendingControl: row.pendingControl };
}
