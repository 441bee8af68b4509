import { encodeEvent, stamp } from '#libs/events';
import type { RunHint } from '#libs/scheduling';
import type { RunId, TenantId } from '#libs/kernel';
import type { PreparedQuery, Queryable, Statement } from '../database.js';
import type { GrownLog } from './commit-signals.js';

/**
 * Whoever changes which runs hold a slot begins with this; tenant rows and heads are locked after it. What is counted
 * under the lock is counted by a later statement, whose snapshot is younger than the lock. A process that freezes with
 * the lock loses it before those that wait for it give up.
 */
export const LOCK_SLOTS = "SET LOCAL idle_in_transaction_session_timeout = '2s';SELECT FROM scheduler FOR UPDATE";

/**
 * Chooses, moves and announces in one statement. The next run is always one of the tenant with the fewest held slots,
 * and within a tenant the one that became runnable first: a run's rank is what its tenant would hold with it and with
 * those before it. A run that starts (it may also only wake) gets a `run.starting`; its body comes without the run's id.
 */
const promoteRuns: Statement = {
  name: 'promote-runs',
  text: `
WITH f AS MATERIALIZED (
  SELECT greatest(0, least($4::int, s.max_concurrent_runs - (SELECT count(*) FROM run_heads WHERE slot = 'held')))::int AS free
    FROM scheduler s),
c AS (
  SELECT q.tenant_id, q.run_id, row_number() OVER (ORDER BY q.rank, q.runnable_seq) AS place
    FROM f
   CROSS JOIN tenants t
   CROSS JOIN LATERAL (SELECT count(*)::int AS held FROM run_heads WHERE tenant_id = t.id AND slot = 'held') h
   CROSS JOIN LATERAL (
     SELECT n.tenant_id, n.run_id, n.runnable_seq, h.held + row_number() OVER (ORDER BY n.runnable_seq) AS rank
       FROM (SELECT tenant_id, run_id, runnable_seq FROM run_heads
              WHERE tenant_id = t.id AND slot = 'queued' ORDER BY runnable_seq
              LIMIT greatest(0, least(f.free, coalesce(t.max_concurrent_runs, f.free + h.held) - h.held))) n) q
   ORDER BY q.rank, q.runnable_seq LIMIT (SELECT free FROM f)),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id, h.status = 'runnable' AS starts, c.place
    FROM run_heads h JOIN c ON h.tenant_id = c.tenant_id AND h.run_id = c.run_id
   WHERE h.slot = 'queued' ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h),
r AS (
  UPDATE run_heads h
     SET slot = 'held', wake_at = NULL, lease_owner = NULL, lease_expires_at = NULL, last_event_at = clock_timestamp(),
         status = CASE WHEN l.starts THEN 'starting' ELSE h.status END, next_seq = h.next_seq + l.starts::int
    FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch + 1 AS epoch, h.next_seq - 1 AS to_seq, l.starts, l.place),
i AS (
  INSERT INTO run_events (tenant_id, run_id, seq, id, event, ts, body)
  SELECT r.tenant_id, r.run_id, r.to_seq, e.id, 'run.starting', e.ts,
         replace(e.body, '"run_id":""', '"run_id":"' || r.run_id || '"')::json
    FROM r JOIN unnest($1::uuid[], $2::timestamptz[], $3::text[]) WITH ORDINALITY AS e(id, ts, body, place) USING (place)
   WHERE r.starts),
o AS (
  INSERT INTO outbox (tenant_id, run_id, kind, payload, not_before)
  SELECT tenant_id, run_id, 'wake', jsonb_build_object('epoch', epoch), now() + interval '3 seconds' FROM r
  RETURNING tenant_id, run_id, id)
SELECT r.tenant_id AS "tenantId", r.run_id AS "runId", r.epoch, r.to_seq AS "toSeq", r.starts, r.place, o.id AS "outboxId"
  FROM r JOIN o USING (tenant_id, run_id) ORDER BY r.place`,
};

export interface Promoted extends RunHint, GrownLog {
  tenantId: TenantId;
  runId: RunId;
  /** The row that rings for it if nobody does. */
  outboxId: number;
}

type Row = Omit<Promoted, 'bodies'> & { starts: boolean; place: number };

/**
 * Gives free slots to at most `atMost` queued runs, in order and fairly, in a transaction that {@link LOCK_SLOTS} opened;
 * commits together with whatever freed the slots. Whoever frees slots or queues runs promotes that many, so no run waits
 * while a slot is free.
 */
export function promotion(nowMs: number, atMost: number): PreparedQuery<Row, Promoted[]> {
  const starting = Array.from({ length: atMost }, () =>
    encodeEvent('', stamp({ event: 'run.starting', properties: {} }, nowMs)),
  );
  return {
    statement: promoteRuns,
    values: [starting.map(({ id }) => id), starting.map(({ ts }) => ts), starting.map(({ body }) => body), atMost],
    read: (rows) =>
      rows.map(({ starts, place, ...row }) => {
        const body = starting[place - 1]!.body.replace('"run_id":""', `"run_id":"${row.runId}"`);
        return { ...row, bodies: starts ? [body] : [] };
      }),
  };
}

/** {@link promotion}, at once. */
export async function promote(tx: Queryable, nowMs: number, atMost: number): Promise<Promoted[]> {
  const { statement, values, read } = promotion(nowMs, atMost);
  return read(await tx.query(statement, values));
}
