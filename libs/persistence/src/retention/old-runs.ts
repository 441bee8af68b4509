import type { RunKey } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { tookTooLong } from '../errors.js';
import type { ColdMark, LogPart } from '../log/cold-mark.js';
import { LEAVES_LOG } from '../log/head-status.js';

/** A run that is long over and has events in the database. */
export interface OldRun extends RunKey {
  /** Its last event. */
  toSeq: number;
  /** Where its beginning lies when it was moved before and something was noted since. */
  mark: ColdMark | null;
}

/** A run that was looked at; null where it stays. */
export interface Examined {
  at: RunKey;
  old: OldRun | null;
}

const OLD_ENOUGH = 'ulid_floor((now() - make_interval(days => $3))::date)';

// Those that have old events at all.
const readTenants: Statement = {
  name: 'read-tenants-with-old-runs',
  text: `
SELECT id FROM tenants t
 WHERE (id > $1 OR id = $1 AND $2::text IS NOT NULL)
   AND EXISTS (SELECT FROM run_events WHERE tenant_id = t.id AND run_id < ${OLD_ENOUGH})
 ORDER BY id LIMIT $4`,
};

// Jumps from run to run through the primary key, so it costs as much as there are old runs with events, however long their
// logs are, and nothing for those that were moved.
const readOld: Statement = {
  name: 'read-old-runs',
  text: `
WITH RECURSIVE k(run_id) AS (
  (SELECT run_id FROM run_events WHERE tenant_id = $1 AND run_id > $2 AND run_id < ${OLD_ENOUGH}
    ORDER BY run_id LIMIT 1)
  UNION ALL
  SELECT n.run_id FROM k CROSS JOIN LATERAL (
    SELECT run_id FROM run_events WHERE tenant_id = $1 AND run_id > k.run_id AND run_id < ${OLD_ENOUGH}
     ORDER BY run_id LIMIT 1) n)
SELECT k.run_id AS "runId", h.next_seq - 1 AS "toSeq", c.to_seq AS "movedTo", c.sha256, c.parts,
       coalesce(h.status IN ${LEAVES_LOG} AND h.last_event_at < now() - make_interval(days => $3), false) AS "isOver"
  FROM (SELECT run_id FROM k LIMIT $4) k
  LEFT JOIN run_heads h ON h.tenant_id = $1 AND h.run_id = k.run_id
  LEFT JOIN cold_logs c ON c.tenant_id = $1 AND c.run_id = k.run_id
 ORDER BY k.run_id`,
};

interface Row {
  runId: RunId;
  toSeq: number;
  movedTo: number | null;
  sha256: string | null;
  parts: string | null;
  isOver: boolean;
}

const PAGE = 200;
const TENANTS = 100;
/** Comes after every id: the end of a tenant. */
const END = '~' as RunId;

/**
 * The runs of all tenants, from a place on, that have events in the database and are old enough to be over, page by page.
 * A tenant whose runs cannot be read in time is `skipped`, and the others go on.
 */
export async function* oldRuns(
  database: Database,
  days: number,
  after: RunKey | null,
  skipped: (tenantId: TenantId, thrown: unknown) => void,
): AsyncGenerator<Examined> {
  for (let last = after; ;) {
    const tenants = await database.queryAgain<{ id: TenantId }>(readTenants, [
      last?.tenantId ?? '',
      last && last.runId !== END ? last.runId : null,
      days,
      TENANTS,
    ]);
    for (const { id } of tenants) {
      try {
        yield* oldRunsOf(database, id, days, last?.tenantId === id ? last.runId : '');
      } catch (thrown) {
        if (!tookTooLong(thrown)) throw thrown;
        skipped(id, thrown);
      }
      last = { tenantId: id, runId: END };
    }
    if (tenants.length < TENANTS) return;
  }
}

async function* oldRunsOf(
  database: Database,
  tenantId: TenantId,
  days: number,
  from: string,
): AsyncGenerator<Examined> {
  for (let after = from; ;) {
    const rows = await database.queryAgain<Row>(readOld, [tenantId, after, days, PAGE]);
    for (const { runId, toSeq, movedTo, sha256, parts, isOver } of rows) {
      const mark =
        movedTo === null ? null : { toSeq: movedTo, sha256: sha256!, parts: JSON.parse(parts!) as LogPart[] };
      const at = { tenantId, runId };
      yield { at, old: isOver ? { ...at, toSeq, mark } : null };
    }
    if (rows.length < PAGE) return;
    after = rows[rows.length - 1]!.runId;
  }
}
