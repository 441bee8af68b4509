import type { RunKey } from '#libs/engine';
import { messageOf, type RunId, type TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import type { RunViews } from '../views/run-views.js';

export interface UnreadableRun {
  runId: RunId;
  createdAt: Date;
  error: string;
}

interface Examined {
  runId: RunId;
  createdAt: Date;
  fault: string | null;
  /** The read model is older than it is allowed to get: perhaps the log cannot be folded. */
  isBehind: boolean;
}

/** So many that a statement is done long before its timeout, whatever the logs are like. */
const RUNS_AT_ONCE = 200;

const examine: Statement = {
  name: 'examine-runs',
  text: `
SELECT r.id AS "runId", r.created_at AS "createdAt",
       CASE WHEN h.run_id IS NULL THEN 'Its head is missing.'
            WHEN v.run_id IS NULL THEN 'Its read model is missing.'
            WHEN e.first <> 1 OR e.last <> h.next_seq - 1 OR e.count <> h.next_seq - 1
              THEN format('Its log should have %s events and has %s, up to %s.', h.next_seq - 1, e.count, coalesce(e.last, 0))
            WHEN NOT EXISTS (SELECT FROM definitions d WHERE d.tenant_id = r.tenant_id AND d.sha256 = r.spec_sha256)
              THEN format('Its specification %s is missing.', r.spec_sha256) END AS fault,
       coalesce(v.seq < h.next_seq - 1 AND h.last_event_at < now() - interval '10 seconds', false) AS "isBehind"
  FROM (SELECT * FROM runs WHERE tenant_id = $1 AND id > $2 ORDER BY id LIMIT ${RUNS_AT_ONCE}) r
  LEFT JOIN run_heads h ON h.tenant_id = r.tenant_id AND h.run_id = r.id
  LEFT JOIN run_views v ON v.tenant_id = r.tenant_id AND v.run_id = r.id
 CROSS JOIN LATERAL (
   SELECT count(*) AS count, coalesce(min(seq), 1) AS first, max(seq) AS last FROM run_events
    WHERE tenant_id = r.tenant_id AND run_id = r.id AND seq < h.next_seq) e
 ORDER BY r.id`,
};

/**
 * The runs of a tenant whose log is not whole, or cannot be folded. Counts every log through its index, some hundred
 * runs at a time, and reads only those whose read model stayed behind; it locks nothing for long.
 */
export async function unreadableRuns(
  database: Database,
  views: RunViews,
  tenantId: TenantId,
): Promise<UnreadableRun[]> {
  const unreadable: UnreadableRun[] = [];
  for (let after: string = ''; ;) {
    const examined = await database.queryAgain<Examined>(examine, [tenantId, after]);
    for (const run of examined) {
      const { runId, createdAt, fault, isBehind } = run;
      const error = fault ?? (isBehind ? await foldingFault(views, { tenantId, runId }) : null);
      if (error !== null) unreadable.push({ runId, createdAt, error });
    }
    const last = examined.at(-1);
    if (!last || examined.length < RUNS_AT_ONCE) return unreadable;
    after = last.runId;
  }
}

async function foldingFault(views: RunViews, run: RunKey): Promise<string | null> {
  try {
    await views.catchUp([run]);
    return null;
  } catch (thrown) {
    if (thrown instanceof DatabaseUnavailableError) throw thrown;
    return `Its log cannot be folded: ${messageOf(thrown)}`;
  }
}
