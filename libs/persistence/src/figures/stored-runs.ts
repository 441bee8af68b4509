import type { RunStatusKind } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { OVER } from '../store/head-status.js';

export interface RunCounts {
  total: number;
  /** Not over. */
  active: number;
  /** Executing now. */
  held: number;
}

export interface StoredSize extends RunCounts {
  bytes: number;
  /** Of runs that are over. */
  bytesOver: number;
  definitions: number;
  definitionBytes: number;
}

/** Which runs are meant; every part that is given has to hold. */
export interface StoredRunFilter {
  onlyOver?: boolean;
  /** Created before this beginning of an ISO date in UTC: `2026-03` means before March. */
  createdBefore?: string;
  /** A part of the workflow's name or slug, in any case. */
  workflow?: string;
  /** All of these. */
  labels?: Readonly<Record<string, string>>;
  /** Since it was over, or since its last event when it is not. */
  restedForMs?: number;
}

export interface StoredRunRow {
  runId: RunId;
  workflow: string;
  status: RunStatusKind;
  isOver: boolean;
  createdAt: Date;
  bytes: number;
}

/** SQL: how many events of a run are in the database, and not moved to the object store. */
const EVENTS = 'h.next_seq - 1 - coalesce(c.to_seq, 0)';
const HEADS = 'run_heads h LEFT JOIN cold_logs c ON c.tenant_id = h.tenant_id AND c.run_id = h.run_id';

/** SQL: what the tables of runs take on the disk with indexes and all, for each event that shares them. */
const DENSITY = `
  SELECT ((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('run_events') WHERE isleaf)
          + pg_total_relation_size('runs') + pg_total_relation_size('run_heads') + pg_total_relation_size('run_snapshots')
          + pg_total_relation_size('run_views') + pg_total_relation_size('stage_views'))::numeric
         / greatest((SELECT sum(${EVENTS}) FROM ${HEADS}), 1) AS bytes_per_event`;

const countRuns: Statement = {
  name: 'count-runs',
  text: `
SELECT count(*) AS total, count(*) FILTER (WHERE status NOT IN ${OVER}) AS active, count(*) FILTER (WHERE slot = 'held') AS held
  FROM run_heads WHERE tenant_id = $1`,
};

const measure: Statement = {
  name: 'measure-stored-runs',
  text: `
WITH d AS (${DENSITY}),
h AS (
  SELECT count(*) AS total, count(*) FILTER (WHERE status NOT IN ${OVER}) AS active,
         count(*) FILTER (WHERE slot = 'held') AS held, coalesce(sum(${EVENTS}), 0) AS events,
         coalesce(sum(${EVENTS}) FILTER (WHERE status IN ${OVER}), 0) AS events_over
    FROM ${HEADS} WHERE h.tenant_id = $1),
f AS (SELECT count(*) AS definitions, coalesce(sum(pg_column_size(body)), 0) AS bytes FROM definitions WHERE tenant_id = $1)
SELECT h.total, h.active, h.held, round(h.events * d.bytes_per_event)::bigint AS bytes,
       round(h.events_over * d.bytes_per_event)::bigint AS "bytesOver", f.definitions, f.bytes AS "definitionBytes"
  FROM d, h, f`,
};

const list: Statement = {
  name: 'list-stored-runs',
  text: `
WITH d AS (${DENSITY})
SELECT h.run_id AS "runId", v.workflow, h.status, h.status IN ${OVER} AS "isOver", v.created_at AS "createdAt",
       round((${EVENTS}) * d.bytes_per_event)::bigint AS bytes
  FROM d CROSS JOIN ${HEADS} JOIN run_views v ON v.tenant_id = h.tenant_id AND v.run_id = h.run_id
 WHERE h.tenant_id = $1
   AND (NOT $2::boolean OR h.status IN ${OVER})
   AND ($3::text IS NULL OR to_char(v.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') < $3)
   AND ($4::text IS NULL OR strpos(lower(v.workflow), lower($4)) > 0 OR strpos(lower(v.slug), lower($4)) > 0)
   AND ($5::jsonb IS NULL OR (v.view -> 'labels')::jsonb @> $5)
   AND ($6::bigint IS NULL OR h.last_event_at < now() - make_interval(secs => $6 / 1000.0))
 ORDER BY h.run_id`,
};

const findStanding: Statement = {
  name: 'find-standing-runs',
  text: `
SELECT run_id AS "runId", status IN ${OVER} AS "isOver" FROM run_heads WHERE tenant_id = $1 AND run_id = ANY($2::text[])`,
};

/**
 * What a tenant's runs take, and which of them are meant by a filter. A run's bytes are its share of the tables on the
 * disk, by its number of events there: measuring each row would cost as much as reading the whole log. Every method costs the
 * tenant's number of runs.
 */
export class StoredRuns {
  constructor(private readonly database: Database) {}

  async count(tenantId: TenantId): Promise<RunCounts> {
    const [row] = await this.database.queryAgain<RunCounts>(countRuns, [tenantId]);
    return row!;
  }

  async measure(tenantId: TenantId): Promise<StoredSize> {
    const [row] = await this.database.queryAgain<StoredSize>(measure, [tenantId]);
    return row!;
  }

  /** The oldest first. What is filtered by may be a moment behind, except whether a run is over. */
  list(tenantId: TenantId, filter: StoredRunFilter = {}): Promise<StoredRunRow[]> {
    const { onlyOver = false, createdBefore, workflow, labels, restedForMs } = filter;
    return this.database.queryAgain<StoredRunRow>(list, [
      tenantId,
      onlyOver,
      createdBefore ?? null,
      workflow ?? null,
      labels === undefined ? null : JSON.stringify(labels),
      restedForMs ?? null,
    ]);
  }

  /** Whether these runs are over; one that does not exist is missing from the result. */
  async areOver(tenantId: TenantId, ids: readonly string[]): Promise<Map<string, boolean>> {
    const rows = await this.database.queryAgain<{ runId: string; isOver: boolean }>(findStanding, [tenantId, ids]);
    return new Map(rows.map(({ runId, isOver }) => [runId, isOver]));
  }
}
