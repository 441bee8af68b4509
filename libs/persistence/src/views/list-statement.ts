import type { RunStatusKind } from '#libs/events';
import type { Statement } from '../database.js';

export type RunOrder =
  'created_at' | 'updated_at' | 'status' | 'elapsed' | 'repo' | 'title' | 'workflow' | 'changes' | 'size';

export interface RunListing {
  statuses: readonly RunStatusKind[];
  parentId: string | null;
  order: RunOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** The board's columns from left to right. */
const BOARD =
  "ARRAY['submitted', 'pending', 'runnable', 'starting', 'running', 'paused', 'blocked', 'succeeded', 'failed', 'dead', 'removing']";

// No run has changes or a bill yet, so those orders are that of creation.
const expressions: Record<RunOrder, string> = {
  created_at: 'v.created_at',
  updated_at: 'v.updated_at',
  status: `array_position(${BOARD}, h.status)`,
  elapsed: 'coalesce(v.completed_at, now()) - coalesce(v.started_at, v.created_at)',
  repo: 'v.repository',
  title: 'v.title',
  workflow: 'v.workflow',
  changes: 'v.created_at',
  size: 'v.created_at',
};

/** One prepared statement for each order; a page beyond the end still tells the total. */
export function listStatement({ order, direction }: RunListing): Statement {
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  return {
    name: `list-runs-${order}-${way}`,
    text: `
WITH f AS (
  SELECT v.run_id, row_number() OVER (ORDER BY ${expressions[order]} ${way} NULLS LAST, v.run_id DESC) AS place
    FROM run_views v
    JOIN run_heads h ON h.tenant_id = v.tenant_id AND h.run_id = v.run_id
    JOIN runs r ON r.tenant_id = v.tenant_id AND r.id = v.run_id
   WHERE v.tenant_id = $1 AND h.status = ANY($2::text[]) AND ($3::text IS NULL OR r.parent_id = $3)),
p AS (SELECT run_id, place FROM f ORDER BY place LIMIT $4 OFFSET $5)
SELECT p.run_id AS "runId", t.total FROM (SELECT count(*) AS total FROM f) t LEFT JOIN p ON true ORDER BY p.place`,
  };
}
