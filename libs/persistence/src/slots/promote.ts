import { encodeEvent, stamp } from '#libs/events';
import type { RunHint } from '#libs/scheduling';
import type { RunId, TenantId } from '#libs/kernel';
import type { PreparedQuery, Queryable, Statement } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { insertEvents } from '../log/event-rows.js';
import { STARTS, WAITS } from '../log/head-status.js';

/**
 * Whoever changes which runs hold a slot begins with this; tenant rows and heads are locked after it. What is counted
 * under the lock is counted by a later statement, whose snapshot is younger than the lock. A process that freezes with
 * the lock loses it before those that wait for it give up.
 */
export const LOCK_SLOTS = "SET LOCAL idle_in_transaction_session_timeout = '2s';SELECT FROM scheduler FOR UPDATE";

/** SQL: the next tenant with a queued run in the order of ids behind `after`, if there is one up to `last`. */
const nextTenant = (lap: 0 | 1, after: string, last: string): string => `
  (SELECT ${lap} AS lap, n.tenant_id FROM run_heads n
    WHERE n.slot = 'queued' AND n.tenant_id > ${after} AND ${last} ORDER BY n.tenant_id LIMIT 1)`;

/**
 * Chooses and moves in one statement. The next run is always one of the tenant with the fewest held slots, and within a
 * tenant the one that became runnable first: a run's rank is what its tenant would hold with it and with those before it.
 * Among tenants of equal rank the turn goes round in the order of their ids, on from the tenant that was served last, so
 * a tenant that waits is reached after at most one turn of each other one. A run that starts (it may also only wake)
 * gets a `run.starting`; its body comes without the run's id.
 *
 * `w` walks through the tenants with queued runs, one jump in the index for each, from the one behind the last turn and
 * round to it. It ends when as many of them hold nothing as slots are free: nobody behind those can have a lower rank.
 * So the cost grows with the free slots and with the tenants that hold some, and not with those that wait.
 */
const promoteRuns: Statement = {
  name: 'promote-runs',
  text: `
WITH RECURSIVE f AS MATERIALIZED (
  SELECT greatest(0, least($4::int, s.max_concurrent_runs - (SELECT count(*) FROM run_heads WHERE slot = 'held')))::int AS free,
         s.last_tenant_id
    FROM scheduler s),
w AS (
  SELECT 0 AS lap, last_tenant_id AS tenant_id, NULL::int AS held, 0 AS without FROM f WHERE free > 0
  UNION ALL
  SELECT n.lap, n.tenant_id, h.held, w.without + (h.held = 0)::int
    FROM w CROSS JOIN f
   CROSS JOIN LATERAL (
     SELECT * FROM (${nextTenant(0, 'w.tenant_id', 'w.lap = 0')}
       UNION ALL ${nextTenant(1, "CASE WHEN w.lap = 0 THEN '' ELSE w.tenant_id END", 'n.tenant_id <= f.last_tenant_id')}) e
      ORDER BY lap LIMIT 1) n
   CROSS JOIN LATERAL (SELECT count(*)::int AS held FROM run_heads WHERE tenant_id = n.tenant_id AND slot = 'held') h
   WHERE w.without < f.free),
c AS (
  SELECT q.tenant_id, q.run_id, row_number() OVER (ORDER BY q.rank, q.lap, q.tenant_id) AS place
    FROM f CROSS JOIN w JOIN tenants t ON t.id = w.tenant_id AND w.held IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT n.tenant_id, n.run_id, w.lap, w.held + row_number() OVER (ORDER BY n.runnable_seq) AS rank
       FROM (SELECT tenant_id, run_id, runnable_seq FROM run_heads
              WHERE tenant_id = t.id AND slot = 'queued' ORDER BY runnable_seq
              LIMIT greatest(0, least(f.free, coalesce(t.max_concurrent_runs, f.free + w.held) - w.held))) n) q
   ORDER BY q.rank, q.lap, q.tenant_id LIMIT (SELECT free FROM f)),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id, h.status = ${WAITS} AS starts, c.place
    FROM run_heads h JOIN c ON h.tenant_id = c.tenant_id AND h.run_id = c.run_id
   WHERE h.slot = 'queued' ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h),
r AS (
  UPDATE run_heads h
     SET slot = 'held', slot_since = clock_timestamp(), wake_at = NULL, lease_owner = NULL, lease_expires_at = NULL, lost_at = NULL,
         last_event_at = clock_timestamp(),
         status = CASE WHEN l.starts THEN ${STARTS} ELSE h.status END, next_seq = h.next_seq + l.starts::int
    FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch + 1 AS epoch, h.next_seq - 1 AS to_seq, l.starts, l.place),
i AS (
  ${insertEvents({
    tenant_id: 'r.tenant_id',
    run_id: 'r.run_id',
    seq: 'r.to_seq',
    id: 'e.id',
    event: "'run.starting'",
    ts: 'e.ts',
    body: `replace(e.body, '"run_id":""', '"run_id":"' || r.run_id || '"')::json`,
  })}
    FROM r JOIN unnest($1::uuid[], $2::timestamptz[], $3::text[]) WITH ORDINALITY AS e(id, ts, body, place) USING (place)
   WHERE r.starts),
t AS (
  UPDATE scheduler SET last_tenant_id = r.tenant_id FROM r
   WHERE r.place = (SELECT max(place) FROM r) AND last_tenant_id <> r.tenant_id)
SELECT tenant_id AS "tenantId", run_id AS "runId", epoch, to_seq AS "toSeq", starts, place FROM r ORDER BY place`,
};

export interface Promoted extends RunHint, GrownLog {
  tenantId: TenantId;
  runId: RunId;
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
