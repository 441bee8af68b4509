import type { Statement } from '../database.js';
import { PLACE, boardPlaceOf, type BoardColumn } from './board.js';
import { CHILD_KEY, childrenSource, columnsSource, KEY, NEWEST, OLDEST, type SortDirection } from './list-sources.js';

export type RunOrder =
  'created_at' | 'updated_at' | 'status' | 'elapsed' | 'repo' | 'title' | 'workflow' | 'changes' | 'size';

/** Where a page ended. Behind it the next one begins, whatever was created meanwhile. */
export type ListPlace =
  | { at: 'run'; key: string; place: number }
  /** In an order of which only so many of the newest runs have a part: how many of them came before. */
  | { at: 'offset'; offset: number };

export interface RunListing {
  columns: readonly BoardColumn[];
  parentId: string | null;
  order: RunOrder;
  direction: SortDirection;
  limit: number;
  offset: number;
  /** Instead of an offset. */
  after?: ListPlace | null;
}

export interface ListedRow {
  runId: string | null;
  key: string | null;
  place: number | null;
  total: number;
  /** There are more than were counted. */
  isPartial: boolean;
  /** Children are looked through some thousand at a time: where that ended, if it was not at the last of them. */
  walkedTo: string | null;
}

/** Beyond these a total is not counted. */
export const COUNTED = 10_000;
/** So many of the newest runs that are meant are put in an order that no index has. */
export const SORTED = 5_000;

// Text is ordered without regard to case.
const expressions = {
  updated_at: 'v.updated_at',
  status: PLACE,
  elapsed: 'coalesce(v.completed_at, now()) - coalesce(v.started_at, v.created_at)',
  repo: 'lower(v.repository)',
  title: 'lower(v.title)',
  workflow: 'lower(v.workflow)',
  size: 'coalesce(v.cost_usd_micros, 0)',
} as const;

type SortedOrder = keyof typeof expressions;

/** How a listing is read: along an index, or by putting the newest runs in order. */
export type ListReading =
  { walks: 'created' | 'columns'; direction: SortDirection } | { sorts: SortedOrder; direction: SortDirection };

/** Nobody counts changed lines yet: by them all runs are equal, so the newest come first. */
export function readingOf({ order, direction, parentId }: RunListing): ListReading {
  if (order === 'created_at') return { walks: 'created', direction };
  if (order === 'changes') return { walks: 'created', direction: 'desc' };
  if (order === 'status' && parentId === null) return { walks: 'columns', direction };
  return { sorts: order, direction };
}

/** The statement for a page and one row more, and the total; a page beyond the end tells the total, too. */
export function listStatement(listing: RunListing): { statement: Statement; values: unknown[] } {
  const reading = readingOf(listing);
  return 'walks' in reading ? walk(listing, reading) : sort(listing, reading);
}

function walk(listing: RunListing, { walks, direction }: ListReading & { walks: string }) {
  const { parentId, limit, after } = listing;
  const way = walks === 'columns' ? 'desc' : direction;
  const source = parentId === null ? columnsSource(way) : childrenSource(way);
  const order = walks === 'columns' ? 'n, key DESC' : `key ${way === 'asc' ? 'ASC' : 'DESC'}`;
  const from = after?.at === 'run' ? after : null;
  const places = placesFrom(listing, walks === 'columns' ? from : null);
  const begin = way === 'asc' ? OLDEST : NEWEST;
  const keys = places.map((place) => (from && (walks === 'created' || place === from.place) ? from.key : begin));
  return {
    statement: {
      name: `list-runs-${walks}-${way}-${parentId === null ? 'all' : 'children'}`,
      text: page(source, `SELECT run_id, key, place, n FROM f ORDER BY ${order} LIMIT $4 OFFSET $5`, order, parentId),
    },
    values: [...common(listing), limit + 1, offsetOf(listing), places, keys],
  };
}

function sort(listing: RunListing, { sorts, direction }: ListReading & { sorts: SortedOrder }) {
  const { parentId, limit } = listing;
  const offset = Math.min(offsetOf(listing), SORTED);
  const places = placesFrom(listing, null);
  const source = parentId === null ? columnsSource('desc', SORTED) : childrenSource('desc');
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  // The offset keeps PostgreSQL from reading all views of the tenant to join them at once.
  const newest = `
    SELECT f.run_id, f.key, f.place, row_number() OVER (ORDER BY ${expressions[sorts]} ${way} NULLS LAST, f.key DESC) AS n
      FROM (SELECT * FROM f ORDER BY key DESC LIMIT ${SORTED}) f
     CROSS JOIN LATERAL (SELECT * FROM run_views WHERE tenant_id = $1 AND run_id = f.run_id OFFSET 0) v
     CROSS JOIN LATERAL (SELECT * FROM run_heads WHERE tenant_id = $1 AND run_id = f.run_id OFFSET 0) h`;
  return {
    statement: {
      name: `list-runs-${sorts}-${direction}-${parentId === null ? 'all' : 'children'}`,
      text: page(source, `SELECT * FROM (${newest}) s ORDER BY n LIMIT $4 OFFSET $5`, 'n', parentId),
    },
    values: [...common(listing), limit + 1, offset, places, places.map(() => NEWEST)],
  };
}

function page(source: string, rows: string, order: string, parentId: string | null): string {
  const [count, walkedTo, ends] =
    parentId === null ? [COLUMN_COUNT, 'NULL', ''] : [CHILDREN_COUNT, 'w.walked_to', 'CROSS JOIN w'];
  return `
WITH ${source},
p AS (${rows})
SELECT p.run_id AS "runId", p.key, p.place, t.total, t."isPartial", ${walkedTo} AS "walkedTo"
  FROM (${count}) t ${ends} LEFT JOIN p ON true ORDER BY ${order}`;
}

// The orders keep PostgreSQL on the indexes: a column may be empty, and nothing but reading the whole table shows that.
const COLUMN_COUNT = `
  SELECT least(count(*), ${COUNTED}) AS total, count(*) > ${COUNTED} AS "isPartial" FROM (
    SELECT FROM unnest($2::int[]) AS b(place) CROSS JOIN LATERAL (
      SELECT FROM run_heads h WHERE tenant_id = $1 AND ${PLACE} = b.place AND $3::text IS NULL
       ORDER BY ${KEY} DESC LIMIT ${COUNTED + 1}) r
     LIMIT ${COUNTED + 1}) c`;
const CHILDREN_COUNT = `
  SELECT count(*) FILTER (WHERE ${PLACE} = ANY($2::int[])) AS total, count(*) > ${COUNTED} AS "isPartial"
    FROM (SELECT id FROM runs WHERE tenant_id = $1 AND parent_id = $3 ORDER BY ${CHILD_KEY} DESC LIMIT ${COUNTED + 1}) c
   CROSS JOIN LATERAL (SELECT * FROM run_heads WHERE tenant_id = $1 AND run_id = c.id OFFSET 0) h`;

function common({ columns, parentId }: RunListing): unknown[] {
  return [columns.map(boardPlaceOf), parentId];
}

function offsetOf({ offset, after }: RunListing): number {
  if (!after) return offset;
  return after.at === 'offset' ? after.offset : 0;
}

/** The columns that are meant, in their order; those that earlier pages have gone through are left out. */
function placesFrom({ columns, direction }: RunListing, from: { place: number } | null): number[] {
  const sign = direction === 'asc' ? 1 : -1;
  const places = [...new Set(columns.map(boardPlaceOf))].sort((a, b) => sign * (a - b));
  return from ? places.filter((place) => sign * (place - from.place) >= 0) : places;
}

/** Where the next page begins, from the rows of this one; null when nothing comes after them. */
export function nextPlace(listing: RunListing, rows: readonly ListedRow[]): ListPlace | null {
  const { limit } = listing;
  const hasMore = rows.length > limit;
  if ('sorts' in readingOf(listing)) {
    const offset = offsetOf(listing) + limit;
    return hasMore && offset < SORTED ? { at: 'offset', offset } : null;
  }
  const last = rows[limit - 1];
  if (hasMore) return { at: 'run', key: last!.key!, place: last!.place! };
  const walkedTo = rows[0]?.walkedTo ?? null;
  return walkedTo === null ? null : { at: 'run', key: walkedTo, place: 0 };
}
