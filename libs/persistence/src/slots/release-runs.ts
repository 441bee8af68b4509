import { STATE_VERSION, type Control, type Lease, type Release, type Released, type RunKey } from '#libs/engine';
import { isProgress } from '#libs/events';
import type { Database, PreparedQuery } from '../database.js';
import { CONTINUES_CHAIN, findAppendStatement } from '../log/append-statement.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf, encodeAppend, insertAppends, type EncodedAppend } from '../log/event-rows.js';
import { OVER, PAUSED, statusAfter } from '../log/head-status.js';
import { chainOf, NEVER } from '../log/lease-chain.js';
import { keyOf } from '../log/locked-heads.js';
import { prepared } from '../prepared.js';
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
const releaseStatement = prepared<readonly (ReleaseRequest & { encoded: EncodedAppend })[]>(
  'release-runs',
  (p) => `
WITH g AS MATERIALIZED (
  SELECT * FROM ${p.rows('g', (requests) => requests, {
    tenant_id: ['text', ({ lease }) => lease.tenantId],
    run_id: ['text', ({ lease }) => lease.runId],
    owner: ['text', ({ lease }) => lease.owner],
    epoch: ['bigint', ({ lease }) => lease.epoch],
    count: ['int', ({ release }) => release.events.length],
    status: ['text', ({ release }) => statusAfter(release.events)],
    slot: ['text', ({ release }) => release.slot],
    wake_at: ['timestamptz', ({ release: { wakeAt } }) => (wakeAt === null ? null : new Date(wakeAt).toISOString())],
    state: ['json', ({ release }) => release.state],
    append_id: ['uuid', ({ appendId }) => appendId],
    expected_seq: ['bigint', ({ release }) => release.expectedSeq ?? null],
    progress: ['boolean', ({ release }) => isProgress(release.events)],
    previous_id: ['uuid', ({ lease }) => chainOf(lease)?.lastAppendId ?? null],
    known_seq: ['bigint', ({ lease }) => chainOf(lease)?.lastSeq ?? NEVER],
  })}),
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
  ${insertAppends(p, (requests) => requests.map(({ encoded }) => encoded), { runs: 'r', base: 'r.base', epoch: 'r.epoch' })}),
s AS (
  INSERT INTO run_snapshots (tenant_id, run_id, seq, state, version)
  SELECT tenant_id, run_id, base + count - 1, state, ${STATE_VERSION} FROM r WHERE state IS NOT NULL ON CONFLICT DO NOTHING)
SELECT l.tenant_id AS "tenantId", l.run_id AS "runId", l.base + l.count - 1 AS "toSeq", l.allowed, l.pending_control AS "pendingControl"
  FROM l`,
);

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
  const writes = requests.map((request) => ({
    ...request,
    encoded: encodeAppend(request.lease, request.release.events),
  }));
  return {
    ...releaseStatement(writes),
    read: (rows) => {
      const byRun = new Map(rows.map((row) => [keyOf(row), row]));
      const results = requests.map(({ lease }) => released(byRun.get(keyOf(lease))));
      const grown = writes.flatMap(({ lease, encoded }) => {
        const row = byRun.get(keyOf(lease));
        const { tenantId, runId } = lease;
        return row?.allowed ? [{ tenantId, runId, toSeq: row.toSeq, bodies: bodiesOf(encoded) }] : [];
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
