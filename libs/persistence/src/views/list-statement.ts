import type { Statement } from '../database.js';
import { PLACE, type BoardColumn } from './board.js';

export type RunOrder =
  'created_at' | 'updated_at' | 'status' | 'elapsed' | 'repo' | 'title' | 'workflow' | 'changes' | 'size';

export interface RunListing {
  columns: readonly BoardColumn[];
  parentId: string | null;
  order: RunOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

// Text is ordered without regard to case. Nobody counts changed lines yet: by them all runs are equal.
const expressions: Record<RunOrder, string> = {
  created_at: 'v.created_at',
  updated_at: 'v.updated_at',
  status: PLACE,
  elapsed: 'coalesce(v.completed_at, now()) - coalesce(v.started_at, v.created_at)',
  repo: 'lower(v.repository)',
  title: 'lower(v.title)',
  workflow: 'lower(v.workflow)',
  changes: 'NULL::integer',
  size: 'coalesce(v.cost_usd_micros, 0)',
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
   WHERE v.tenant_id = $1 AND ${PLACE} = ANY($2::int[]) AND ($3::text IS NULL OR r.parent_id = $3)),
p AS (SELECT run_id, place FROM f ORDER BY place LIMIT $4 OFFSET $5)
SELECT p.run_id AS "runId", t.total FROM (SELECT count(*) AS total FROM f) t LEFT JOIN p ON true ORDER BY p.place`,
  };
}
