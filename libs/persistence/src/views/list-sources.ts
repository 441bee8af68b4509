import { PLACE } from './board.js';

export type SortDirection = 'asc' | 'desc';

/** Before and behind every key. */
export const OLDEST = '';
export const NEWEST = '~';

/** Children that one statement looks through. */
const CHILDREN = 10_000;

/** SQL: what orders a run, with head `h`, by its creation; and a row of runs. */
export const KEY = 'coalesce(h.created_key, h.run_id)';
export const CHILD_KEY = 'coalesce(created_key, id)';

/**
 * SQL: the runs of some columns as `f (run_id, key, place, n)`, each column along its index from its key on, no further than
 * a page needs. Reads $1 the tenant, $4 and $5 limit and offset, $6 the columns, and $7 for each the key behind which it begins.
 */
export function columnsSource(direction: SortDirection, limit?: number): string {
  const [beyond, way] = direction === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
  return `f AS (
  SELECT r.run_id, r.key, b.place, b.n
    FROM unnest($6::int[], $7::text[]) WITH ORDINALITY AS b(place, after, n)
   CROSS JOIN LATERAL (
     SELECT h.run_id, ${KEY} AS key FROM run_heads h
      WHERE h.tenant_id = $1 AND ${PLACE} = b.place AND ${KEY} ${beyond} b.after
      ORDER BY ${KEY} ${way} LIMIT ${limit ?? '$4::bigint + $5::bigint'}) r)`;
}

/**
 * The same of the children of the run $3 as far as they stand in the columns $2, of so many as one statement looks through;
 * and `w (walked_to)`: how far that was, when there may be more.
 */
export function childrenSource(direction: SortDirection): string {
  const [beyond, way, last] = direction === 'asc' ? ['>', 'ASC', 'max'] : ['<', 'DESC', 'min'];
  return `c AS MATERIALIZED (
  SELECT id, ${CHILD_KEY} AS key FROM runs
   WHERE tenant_id = $1 AND parent_id = $3 AND ${CHILD_KEY} ${beyond} coalesce(($7::text[])[1], '')
   ORDER BY ${CHILD_KEY} ${way} LIMIT ${CHILDREN}),
f AS (
  SELECT c.id AS run_id, c.key, ${PLACE} AS place, 0 AS n
    FROM c CROSS JOIN LATERAL (SELECT * FROM run_heads WHERE tenant_id = $1 AND run_id = c.id OFFSET 0) h
   WHERE ${PLACE} = ANY($2::int[]) AND $6::int[] IS NOT NULL),
w AS (SELECT CASE WHEN count(*) = ${CHILDREN} THEN ${last}(key) END AS walked_to FROM c)`;
}
