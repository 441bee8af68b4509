import type { ObjectStore } from '#libs/engine';
import { messageOf, type RunId, type TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { DatabaseUnavailableError } from '../errors.js';
import { logFolder, logKey, objectOf, type LogPart } from '../log/cold-mark.js';
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
  parts: string | null;
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
       c.to_seq AS "movedTo", c.bytes AS "movedBytes", c.parts
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

export interface ExaminedPage {
  unreadable: UnreadableRun[];
  /** All runs up to this id were examined. */
  last: RunId;
}

/**
 * The runs of a tenant whose log is not whole, or cannot be folded, in pages from an id on. Counts every log through its
 * index, some hundred runs at a time, looks whether what was moved is in the object store, and reads only logs whose read
 * model stayed behind. Locks nothing for long.
 */
export async function* unreadableRuns(places: Places, tenantId: TenantId, from = ''): AsyncGenerator<ExaminedPage> {
  for (let after: string = from; ;) {
    const examined = await places.database.queryAgain<Examined>(examine, [tenantId, after]);
    const unreadable: UnreadableRun[] = [];
    for (const run of examined) {
      const { runId, createdAt, fault, isBehind } = run;
      const error =
        fault ??
        (await lossOf(run, places, tenantId)) ??
        (isBehind ? await foldingFault(places, tenantId, runId) : null);
      if (error !== null) unreadable.push({ runId, createdAt, error });
    }
    const last = examined.at(-1);
    if (!last) return;
    yield { unreadable, last: last.runId };
    if (examined.length < RUNS_AT_ONCE) return;
    after = last.runId;
  }
}

async function sizesIn(objects: ObjectStore, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, bytes } of objects.list(prefix)) sizes.set(key, bytes);
  return sizes;
}

/** What is wrong with a moved log. One that is moved at this moment has both its objects. */
async function lossOf(run: Examined, { objects }: Places, tenantId: TenantId): Promise<string | null> {
  const { runId, movedTo } = run;
  if (movedTo === null) return null;
  const sizes = await sizesIn(objects, logFolder({ tenantId, runId }));
  return lossAmong(expectedObjects(run, tenantId, movedTo), sizes);
}

interface ExpectedObject {
  key: string;
  /** Null where it is known to be at least as long as the parts in it say. */
  bytes: number | null;
}

/** A long log lies in several objects; the size of the newest is known. */
function expectedObjects({ runId, movedBytes, parts }: Examined, tenantId: TenantId, toSeq: number): ExpectedObject[] {
  const mark = { toSeq, parts: JSON.parse(parts!) as LogPart[] };
  const names = new Set(mark.parts.map((part) => objectOf(mark, part)));
  return [...names].map((upTo) => ({
    key: logKey({ tenantId, runId }, upTo),
    bytes: upTo === toSeq ? movedBytes : null,
  }));
}

function lossAmong(expected: readonly ExpectedObject[], sizes: ReadonlyMap<string, number>): string | null {
  for (const { key, bytes } of expected) {
    const found = sizes.get(key);
    if (found === undefined) return `Its log was moved to the object ${key}, which is gone.`;
    if (bytes !== null && found !== bytes) return `Its log, the object ${key}, has ${found} bytes instead of ${bytes}.`;
  }
  return null;
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
