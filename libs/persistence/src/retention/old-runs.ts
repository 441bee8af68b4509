import type { RunKey } from '#libs/engine';
import type { RunId, TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import type { ColdMark, LogPart } from './cold-mark.js';

/** A run that is long over and has events in the database. */
export interface OldRun extends RunKey {
  /** Its last event. */
  toSeq: number;
  /** Where its beginning lies when it was moved before and something was noted since. */
  mark: ColdMark | null;
}

const readTenants: Statement = { name: 'read-tenants', text: 'SELECT id FROM tenants ORDER BY id' };

// Jumps from run to run through the primary key, so it costs as much as there are old runs with events, however long their
// logs are, and nothing for those that were moved.
const readOld: Statement = {
  name: 'read-old-runs',
  text: `
WITH RECURSIVE k(run_id) AS (
  (SELECT run_id FROM run_events WHERE tenant_id = $1 AND run_id > $2 AND run_id < ulid_floor((now() - make_interval(days => $3))::date)
    ORDER BY run_id LIMIT 1)
  UNION ALL
  SELECT n.run_id FROM k CROSS JOIN LATERAL (
    SELECT run_id FROM run_events WHERE tenant_id = $1 AND run_id > k.run_id AND run_id < ulid_floor((now() - make_interval(days => $3))::date)
     ORDER BY run_id LIMIT 1) n)
SELECT k.run_id AS "runId", h.next_seq - 1 AS "toSeq", c.to_seq AS "movedTo", c.sha256, c.parts,
       h.status IN ('succeeded', 'failed') AND h.last_event_at < now() - make_interval(days => $3) AS "isOver"
  FROM (SELECT run_id FROM k LIMIT $4) k
  JOIN run_heads h ON h.tenant_id = $1 AND h.run_id = k.run_id
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

/** The runs of all tenants that have been over for so many days and have events in the database, page by page. */
export async function* oldRuns(database: Database, days: number): AsyncGenerator<OldRun> {
  for (const { id } of await database.queryAgain<{ id: TenantId }>(readTenants)) {
    yield* oldRunsOf(database, id, days);
  }
}

async function* oldRunsOf(database: Database, tenantId: TenantId, days: number): AsyncGenerator<OldRun> {
  for (let after = ''; ;) {
    const rows = await database.queryAgain<Row>(readOld, [tenantId, after, days, PAGE]);
    for (const { runId, toSeq, movedTo, sha256, parts, isOver } of rows) {
      const mark =
        movedTo === null ? null : { toSeq: movedTo, sha256: sha256!, parts: JSON.parse(parts!) as LogPart[] };
      if (isOver) yield { tenantId, runId, toSeq, mark };
    }
    if (rows.length < PAGE) return;
    after = rows[rows.length - 1]!.runId;
  }
}
