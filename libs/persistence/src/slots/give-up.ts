import { LeaseLostError, MAX_DEFECTS, type DriveFault, type GivenUp, type Lease } from '#libs/engine';
import { stamp } from '#libs/events';
import type { Database, PreparedQuery } from '../database.js';
import type { GrownLog } from '../log/commit-signals.js';
import { bodiesOf, encodeAppend, insertAppends, type EncodedAppend } from '../log/event-rows.js';
import { DEAD, OVER } from '../log/head-status.js';
import { prepared, type Parameters } from '../prepared.js';
import { LOCK_SLOTS, promotion, type Promoted } from './promote.js';

/** SQL: what a lease is fenced by, on the head `h`. */
function fencedBy<Input extends { lease: Lease }>(p: Parameters<Input>): string {
  return `
  h.tenant_id = ${p.value('text', ({ lease }) => lease.tenantId)} AND h.run_id = ${p.value('text', ({ lease }) => lease.runId)}
  AND h.lease_owner = ${p.value('text', ({ lease }) => lease.owner)} AND h.lease_epoch = ${p.value('bigint', ({ lease }) => lease.epoch)}
  AND h.slot = 'held' AND h.status NOT IN ${OVER}`;
}

/** SQL: 1 s, twice as long after each fault, at most 20 s; spread out, so that runs which wait for the same do not come back together. */
const BACK_OFF = "least(20, power(2, least(a.failures, 5))) * (0.8 + 0.4 * random()) * interval '1 second'";

/**
 * The lease is NULL afterwards: no worker was lost. What the run was asked for meanwhile stays on its head. Faults count
 * where one follows upon that of the epoch before, and nothing was achieved in between.
 */
const giveUpStatement = prepared<{ lease: Lease; fault: DriveFault; append: EncodedAppend }>(
  'give-up-run',
  (p) => `
WITH f AS (SELECT ${p.value('boolean', ({ fault }) => fault.kind === 'defect')} AS is_defect, ${p.value('text', ({ fault }) => fault.cause)} AS cause,
                  ${p.value('boolean', ({ fault }) => fault.hasGotOn)} AS has_got_on),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id, h.next_seq AS base, h.pending_control, f.is_defect, f.cause,
         CASE WHEN h.fault_epoch = h.lease_epoch - 1 AND NOT f.has_got_on THEN h.drive_failures ELSE 0 END AS failures,
         CASE WHEN h.fault_epoch = h.lease_epoch - 1 AND NOT f.has_got_on THEN h.drive_defects ELSE 0 END + f.is_defect::int AS defects
    FROM run_heads h CROSS JOIN f WHERE ${fencedBy(p)} FOR NO KEY UPDATE OF h),
a AS (
  SELECT l.*, CASE WHEN pending_control = 'cancel' THEN 'cancel' WHEN is_defect AND defects >= ${MAX_DEFECTS} THEN 'defects' END AS refusal
    FROM l),
r AS (
  UPDATE run_heads h
     SET slot = 'parked', slot_since = clock_timestamp(), wake_at = clock_timestamp() + ${BACK_OFF}, lease_owner = NULL, lease_expires_at = NULL,
         next_seq = h.next_seq + (a.failures = 0)::int, last_event_at = clock_timestamp(),
         fault = a.cause, fault_epoch = h.lease_epoch, drive_failures = a.failures + 1, drive_defects = a.defects
    FROM a WHERE a.refusal IS NULL AND h.tenant_id = a.tenant_id AND h.run_id = a.run_id
  RETURNING h.tenant_id, h.run_id, h.lease_epoch, a.base, a.failures),
i AS (
  ${insertAppends(p, ({ append }) => [append], { runs: 'r', base: 'r.base', epoch: 'r.lease_epoch' })}
   WHERE r.failures = 0)
SELECT base AS seq, failures = 0 AS "isFirst", refusal FROM a`,
);

const quarantineStatement = prepared<{ lease: Lease; cause: string }>(
  'quarantine-run',
  (p) => `
UPDATE run_heads h
   SET status = ${DEAD}, slot = 'none', wake_at = NULL, pending_control = NULL, lease_owner = NULL, lease_expires_at = NULL,
       last_event_at = clock_timestamp(), fault = ${p.value('text', ({ cause }) => cause)}, fault_epoch = h.lease_epoch
 WHERE ${fencedBy(p)} RETURNING h.run_id`,
);

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
  fault: DriveFault,
  nowMs: number,
): PreparedQuery<Row, { givenUp: GivenUp; grown: GrownLog[] } | undefined> {
  const { tenantId, runId } = lease;
  const message = `The run waits, since it cannot go on now; it is tried again by itself. ${fault.cause}`;
  const notice = stamp({ event: 'run.notice', properties: { level: 'warn', code: 'drive_deferred', message } }, nowMs);
  const append = encodeAppend(lease, [notice]);
  return {
    ...giveUpStatement({ lease, fault, append }),
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
  const dying: PreparedQuery<unknown, boolean> = {
    ...quarantineStatement({ lease, cause }),
    read: ({ length }) => length > 0,
  };
  const [isDead, promoted] = await database.together(LOCK_SLOTS, dying, promotion(nowMs, 1));
  if (!isDead) throw new LeaseLostError(lease);
  return promoted;
}
