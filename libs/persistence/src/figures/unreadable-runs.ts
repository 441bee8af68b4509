import type { ObjectStore } from '#libs/engine';
import { messageOf, type RunId, type TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import { logFolder, logKey } from '../retention/cold-mark.js';
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
  /** Up to where the log lies in the object store; null when all of it is in the database. */
  movedTo: number | null;
  movedBytes: number | null;
}

/** So many that a statement is done long before its timeout, whatever the logs are like. */
const RUNS_AT_ONCE = 200;

const examine: Statement = {
  name: 'examine-runs',
  text: `
SELECT r.id AS "runId", r.created_at AS "createdAt",
       CASE WHEN h.run_id IS NULL THEN 'Its head is missing.'
            WHEN h.status = 'dead' THEN 'It is dead: ' || coalesce(h.fault, 'nobody can read where it stands.')
            WHEN v.run_id IS NULL THEN 'Its read model is missing.'
            WHEN e.last <> h.next_seq - 1 OR e.last - e.moved <> e.count
              THEN format('Its log should have %s events and has %s, up to %s.', h.next_seq - 1, e.moved + e.count, e.last)
            WHEN NOT EXISTS (SELECT FROM definitions d WHERE d.tenant_id = r.tenant_id AND d.sha256 = r.spec_sha256)
              THEN format('Its specification %s is missing.', r.spec_sha256)
            WHEN NOT EXISTS (SELECT FROM definitions d WHERE d.tenant_id = r.tenant_id AND d.sha256 = r.manifest_sha256)
              THEN format('Its manifest %s is missing.', r.manifest_sha256) END AS fault,
       coalesce(v.seq < h.next_seq - 1 AND h.last_event_at < now() - interval '10 seconds', false) AS "isBehind",
       c.to_seq AS "movedTo", c.bytes AS "movedBytes"
  FROM (SELECT * FROM runs WHERE tenant_id = $1 AND id > $2 ORDER BY id LIMIT ${RUNS_AT_ONCE}) r
  LEFT JOIN run_heads h ON h.tenant_id = r.tenant_id AND h.run_id = r.id
  LEFT JOIN run_views v ON v.tenant_id = r.tenant_id AND v.run_id = r.id
  LEFT JOIN cold_logs c ON c.tenant_id = r.tenant_id AND c.run_id = r.id
 CROSS JOIN LATERAL (
   SELECT coalesce(c.to_seq, 0) AS moved, count(*) AS count, coalesce(max(seq), c.to_seq, 0) AS last FROM run_events
    WHERE tenant_id = r.tenant_id AND run_id = r.id AND seq > coalesce(c.to_seq, 0) AND seq < h.next_seq) e
 ORDER BY r.id`,
};

/** Where logs lie, and how they are folded. */
interface Places {
  database: Database;
  views: RunViews;
  objects: ObjectStore;
}

/**
 * The runs of a tenant whose log is not whole, or cannot be folded. Counts every log through its index, some hundred
 * runs at a time, looks whether what was moved is in the object store, and reads only logs whose read model stayed
 * behind. Locks nothing for long.
 */
export async function unreadableRuns(places: Places, tenantId: TenantId): Promise<UnreadableRun[]> {
  const listed = listedOnce(places.objects, `${tenantId}/runs/`);
  const unreadable: UnreadableRun[] = [];
  for (let after: string = ''; ;) {
    const examined = await places.database.queryAgain<Examined>(examine, [tenantId, after]);
    for (const run of examined) {
      const { runId, createdAt, fault, isBehind } = run;
      const error =
        fault ??
        (await lossOf(run, places, tenantId, listed)) ??
        (isBehind ? await foldingFault(places, tenantId, runId) : null);
      if (error !== null) unreadable.push({ runId, createdAt, error });
    }
    const last = examined.at(-1);
    if (!last || examined.length < RUNS_AT_ONCE) return unreadable;
    after = last.runId;
  }
}

/** The sizes of objects by key, of all runs of a tenant. */
type Sizes = () => Promise<ReadonlyMap<string, number>>;

/** Listed once, when somebody asks. */
function listedOnce(objects: ObjectStore, prefix: string): Sizes {
  let listing: Promise<Map<string, number>> | undefined;
  return () => (listing ??= sizesIn(objects, prefix));
}

async function sizesIn(objects: ObjectStore, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, bytes } of objects.list(prefix)) sizes.set(key, bytes);
  return sizes;
}

/** What is wrong with a moved log. One that the listing does not have may have been moved since, so it is looked at again. */
async function lossOf(run: Examined, { objects }: Places, tenantId: TenantId, listed: Sizes): Promise<string | null> {
  const { runId, movedTo, movedBytes } = run;
  if (movedTo === null) return null;
  const key = logKey({ tenantId, runId }, movedTo);
  if ((await listed()).get(key) === movedBytes) return null;
  const bytes = (await sizesIn(objects, logFolder({ tenantId, runId }))).get(key);
  if (bytes === undefined) return `Its log was moved to the object ${key}, which is gone.`;
  return bytes === movedBytes ? null : `Its log, the object ${key}, has ${bytes} bytes instead of ${movedBytes}.`;
}

async function foldingFault({ views }: Places, tenantId: TenantId, runId: RunId): Promise<string | null> {
  try {
    await views.catchUp([{ tenantId, runId }]);
    return null;
  } catch (thrown) {
    if (thrown instanceof DatabaseUnavailableError) throw thrown;
    return `Its log cannot be folded: ${messageOf(thrown)}`;
  }
}
