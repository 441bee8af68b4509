import { LeaseLostError, MAX_DEFECTS, type DriveFault, type GivenUp, type Lease } from '#libs/engine';
import { stamp } from '#libs/events';
import type { Database, PreparedQuery, Statement } from '../database.js';
import type { GrownLog } from './commit-signals.js';
import { bodiesOf, encodeAppend, eventParameters } from './event-rows.js';
import { DEAD, OVER } from './head-status.js';
import { LOCK_SLOTS, promotion, type Promoted } from './promote.js';

/** SQL: what a lease is fenced by, on the head `h`. */
const FENCE = `
  h.tenant_id = $1 AND h.run_id = $2 AND h.lease_owner = $3 AND h.lease_epoch = $4 AND h.slot = 'held' AND h.status NOT IN ${OVER}`;

/** SQL: whether this fault follows upon the one of the epoch before, and nothing was achieved in between. */
const GOES_ON = 'h.fault_epoch = $4 - 1 AND NOT $7::boolean';

/** SQL: 1 s, twice as long after each fault, at most 20 s; spread out, so that runs which wait for the same do not come back together. */
const BACK_OFF = "least(20, power(2, least(a.failures, 5))) * (0.8 + 0.4 * random()) * interval '1 second'";

/** The lease is NULL afterwards: no worker was lost. What the run was asked for meanwhile stays on its head. */
const giveUpStatement: Statement = {
  name: 'give-up-run',
  text: `
WITH l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id, h.next_seq AS base, h.pending_control,
         CASE WHEN ${GOES_ON} THEN h.drive_failures ELSE 0 END AS failures,
         CASE WHEN ${GOES_ON} THEN h.drive_defects ELSE 0 END + ($5 = 'defect')::int AS defects
    FROM run_heads h WHERE ${FENCE} FOR NO KEY UPDATE OF h),
a AS (
  SELECT l.*, CASE WHEN pending_control = 'cancel' THEN 'cancel' WHEN $5 = 'defect' AND defects >= ${MAX_DEFECTS} THEN 'defects' END AS refusal
    FROM l),
r AS (
  UPDATE run_heads h
     SET slot = 'parked', slot_since = clock_timestamp(), wake_at = clock_timestamp() + ${BACK_OFF}, lease_owner = NULL, lease_expires_at = NULL,
         next_seq = h.next_seq + (a.failures = 0)::int, last_event_at = clock_timestamp(),
         fault = $6, fault_epoch = h.lease_epoch, drive_failures = a.failures + 1, drive_defects = a.defects
    FROM a WHERE a.refusal IS NULL AND h.tenant_id = a.tenant_id AND h.run_id = a.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch, a.base, a.failures),
i AS (
  INSERT INTO run_events (tenant_id, run_id, seq, epoch, id, event, ts, body)
  SELECT r.tenant_id, r.run_id, r.base + e.place, r.lease_epoch, e.id, e.event, e.ts, e.body
    FROM r JOIN unnest($8::text[], $9::text[], $10::int[], $11::uuid[], $12::text[], $13::timestamptz[],
         string_to_array($14, chr(10))::json[])
      AS e(tenant_id, run_id, place, id, event, ts, body) ON e.tenant_id = r.tenant_id AND e.run_id = r.run_id
   WHERE r.failures = 0)
SELECT base AS seq, failures = 0 AS "isFirst", refusal FROM a`,
};

const quarantineStatement: Statement = {
  name: 'quarantine-run',
  text: `
UPDATE run_heads h
   SET status = ${DEAD}, slot = 'none', wake_at = NULL, pending_control = NULL, lease_owner = NULL, lease_expires_at = NULL,
       last_event_at = clock_timestamp(), fault = $5, fault_epoch = h.lease_epoch
 WHERE ${FENCE} RETURNING h.run_id`,
};

interface Row {
  seq: number;
  isFirst: boolean;
  refusal: 'cancel' | 'defects' | null;
}

interface LetGo {
  grown: GrownLog[];
  promoted: Promoted[];
}

/** A run goes back to wait, and its slot to the next one, in one transaction. */
export async function giveUp(
  database: Database,
  lease: Lease,
  fault: DriveFault,
  nowMs: number,
): Promise<LetGo & { givenUp: GivenUp }> {
  const [row, promoted] = await database.together(LOCK_SLOTS, givingUp(lease, fault, nowMs), promotion(nowMs, 1));
  if (!row) throw new LeaseLostError(lease);
  return { ...row, promoted };
}

function givingUp(
  lease: Lease,
  { kind, cause, hasGotOn }: DriveFault,
  nowMs: number,
): PreparedQuery<Row, { givenUp: GivenUp; grown: GrownLog[] } | undefined> {
  const { tenantId, runId, owner, epoch } = lease;
  const message = `The run waits, since it cannot go on now; it is tried again by itself. ${cause}`;
  const notice = stamp({ event: 'run.notice', properties: { level: 'warn', code: 'drive_deferred', message } }, nowMs);
  const append = encodeAppend(lease, [notice]);
  return {
    statement: giveUpStatement,
    values: [tenantId, runId, owner, epoch, kind, cause, hasGotOn, ...eventParameters([append])],
    read: ([row]) => {
      if (!row) return undefined;
      if (row.refusal !== null) return { givenUp: { givenUp: false, because: row.refusal }, grown: [] };
      const grown = row.isFirst ? [{ tenantId, runId, toSeq: row.seq, bodies: bodiesOf(append) }] : [];
      return { givenUp: { givenUp: true }, grown };
    },
  };
}

/** A run is dead, and its slot goes to the next one, in one transaction. */
export async function quarantine(database: Database, lease: Lease, cause: string, nowMs: number): Promise<Promoted[]> {
  const { tenantId, runId, owner, epoch } = lease;
  const dying: PreparedQuery<unknown, boolean> = {
    statement: quarantineStatement,
    values: [tenantId, runId, owner, epoch, cause],
    read: ({ length }) => length > 0,
  };
  const [isDead, promoted] = await database.together(LOCK_SLOTS, dying, promotion(nowMs, 1));
  if (!isDead) throw new LeaseLostError(lease);
  return promoted;
}
