import type { RunStatusKind } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { OVER } from '../log/head-status.js';
import { PLACE } from '../views/board.js';
import { KEY } from '../views/list-sources.js';
import { COUNTED } from '../views/list-statement.js';

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

/** Some of the runs of a tenant. */
export interface StoredRunPage {
  runs: StoredRunRow[];
  /** All runs up to this id were looked at. */
  last: RunId;
}

/** SQL: how many events of a run are in the database, and not moved to the object store. */
const EVENTS = 'h.next_seq - 1 - coalesce(c.to_seq, 0)';
const HEADS = 'run_heads h LEFT JOIN cold_logs c ON c.tenant_id = h.tenant_id AND c.run_id = h.run_id';

/** Runs that one statement looks at. */
const PAGE = 5_000;

// The statistics know a large log well enough; a small one is counted.
const readDensity: Statement = {
  name: 'read-bytes-per-event',
  text: `
SELECT (e.bytes + pg_total_relation_size('runs') + pg_total_relation_size('run_heads') + pg_total_relation_size('run_snapshots')
        + pg_total_relation_size('run_views') + pg_total_relation_size('stage_views'))::float8
       / greatest(CASE WHEN e.estimate > 1000000 THEN e.estimate ELSE (SELECT sum(${EVENTS}) FROM ${HEADS}) END, 1) AS density
  FROM (SELECT sum(pg_total_relation_size(relid)) AS bytes, sum(c.reltuples) AS estimate
          FROM pg_partition_tree('run_events') JOIN pg_class c ON c.oid = relid WHERE isleaf) e`,
};

const countActive = `
  SELECT FROM unnest(ARRAY[0, 1, 2, 3, 4]) AS b(place) CROSS JOIN LATERAL (
    SELECT FROM run_heads h WHERE h.tenant_id = $1 AND ${PLACE} = b.place ORDER BY ${KEY} DESC LIMIT ${COUNTED}) a`;
const countRuns: Statement = {
  name: 'count-runs',
  text: `
SELECT (SELECT count(*) FROM (SELECT FROM run_heads WHERE tenant_id = $1 ORDER BY run_id LIMIT ${COUNTED}) r) AS total,
       (SELECT count(*) FROM (${countActive} LIMIT ${COUNTED}) a) AS active,
       (SELECT count(*) FROM run_heads WHERE tenant_id = $1 AND slot = 'held') AS held`,
};

const countDefinitions: Statement = {
  name: 'count-definitions',
  text: `
SELECT count(*) AS definitions, coalesce(sum(pg_column_size(body)), 0) AS "definitionBytes" FROM definitions WHERE tenant_id = $1`,
};

const measurePage: Statement = {
  name: 'measure-stored-runs',
  text: `
SELECT count(*) AS total, count(*) FILTER (WHERE h.status NOT IN ${OVER}) AS active, count(*) FILTER (WHERE h.slot = 'held') AS held,
       coalesce(sum(${EVENTS}), 0)::bigint AS events,
       coalesce(sum(${EVENTS}) FILTER (WHERE h.status IN ${OVER}), 0)::bigint AS "eventsOver", max(h.run_id) AS last
  FROM (SELECT * FROM run_heads WHERE tenant_id = $1 AND run_id > $2 ORDER BY run_id LIMIT ${PAGE}) h
  LEFT JOIN cold_logs c ON c.tenant_id = h.tenant_id AND c.run_id = h.run_id`,
};

// The offset keeps PostgreSQL from reading all views of the tenant to join them at once.
const listPage: Statement = {
  name: 'list-stored-runs',
  text: `
WITH h AS MATERIALIZED (SELECT * FROM run_heads WHERE tenant_id = $1 AND run_id > $7 ORDER BY run_id LIMIT ${PAGE})
SELECT h.run_id AS "runId", v.workflow, h.status, h.status IN ${OVER} AS "isOver", v.created_at AS "createdAt",
       ${EVENTS} AS events, l.last
  FROM (SELECT max(run_id) AS last FROM h) l
  LEFT JOIN (h LEFT JOIN cold_logs c ON c.tenant_id = h.tenant_id AND c.run_id = h.run_id
       CROSS JOIN LATERAL (SELECT * FROM run_views WHERE tenant_id = $1 AND run_id = h.run_id OFFSET 0) v)
    ON (NOT $2::boolean OR h.status IN ${OVER})
   AND ($3::text IS NULL OR to_char(v.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') < $3)
   AND ($4::text IS NULL OR strpos(lower(v.workflow), lower($4)) > 0 OR strpos(lower(v.slug), lower($4)) > 0)
   AND ($6::bigint IS NULL OR h.last_event_at < now() - make_interval(secs => $6 / 1000.0))
   AND ($5::jsonb IS NULL OR (v.view -> 'labels')::jsonb @> $5)
 ORDER BY h.run_id`,
};

const findStanding: Statement = {
  name: 'find-standing-runs',
  text: `
SELECT run_id AS "runId", status IN ${OVER} AS "isOver" FROM run_heads WHERE tenant_id = $1 AND run_id = ANY($2::text[])`,
};

/**
 * What a tenant's runs take, and which of them are meant by a filter. A run's bytes are its share of the tables on the
 * disk, by its number of events there: measuring each row would cost as much as reading the whole log. Runs are read some
 * thousand at a time, in statements of their own, and never held together.
 */
export class StoredRuns {
  constructor(private readonly database: Database) {}

  /** Up to {@link COUNTED} of each. */
  async count(tenantId: TenantId): Promise<RunCounts> {
    const [row] = await this.database.queryAgain<RunCounts>(countRuns, [tenantId]);
    return row!;
  }

  /** Costs the tenant's number of runs. */
  async measure(tenantId: TenantId): Promise<StoredSize> {
    const density = await this.density();
    const [definitions] = await this.database.queryAgain<Pick<StoredSize, 'definitions' | 'definitionBytes'>>(
      countDefinitions,
      [tenantId],
    );
    const sum = { total: 0, active: 0, held: 0, events: 0, eventsOver: 0 };
    for (let after: string | null = ''; after !== null;) {
      const [page]: MeasuredPage[] = await this.database.queryAgain<MeasuredPage>(measurePage, [tenantId, after]);
      for (const figure of Object.keys(sum) as (keyof typeof sum)[]) sum[figure] += page![figure];
      after = page!.last;
    }
    const { events, eventsOver, ...counts } = sum;
    const [bytes, bytesOver] = [Math.round(events * density), Math.round(eventsOver * density)];
    return { ...counts, bytes, bytesOver, ...definitions! };
  }

  /**
   * The runs that a filter means, the oldest id first, in pages: each says up to which id it has looked, however many it
   * found there. What is filtered by may be a moment behind, except whether a run is over.
   */
  async *list(tenantId: TenantId, filter: StoredRunFilter = {}, after = ''): AsyncGenerator<StoredRunPage> {
    const { onlyOver = false, createdBefore = null, workflow = null, labels, restedForMs = null } = filter;
    const wantedLabels = labels === undefined ? null : JSON.stringify(labels);
    const density = await this.density();
    for (let from = after; ;) {
      const rows: ListedRow[] = await this.database.queryAgain<ListedRow>(listPage, [
        tenantId,
        onlyOver,
        createdBefore,
        workflow,
        wantedLabels,
        restedForMs,
        from,
      ]);
      const last = rows[0]?.last ?? null;
      if (last === null) return;
      const found = rows.filter(({ runId }) => runId !== null);
      yield {
        runs: found.map(({ events, last: _, ...run }) => ({ ...run, bytes: Math.round(events * density) })),
        last,
      };
      from = last;
    }
  }

  /** Whether these runs are over; one that does not exist is missing from the result. */
  async areOver(tenantId: TenantId, ids: readonly string[]): Promise<Map<string, boolean>> {
    const rows = await this.database.queryAgain<{ runId: string; isOver: boolean }>(findStanding, [tenantId, ids]);
    return new Map(rows.map(({ runId, isOver }) => [runId, isOver]));
  }

  private async density(): Promise<number> {
    const [row] = await this.database.queryAgain<{ density: number }>(readDensity);
    return row!.density;
  }
}

type MeasuredPage = RunCounts & { events: number; eventsOver: number; last: string | null };

type ListedRow = Omit<StoredRunRow, 'bytes'> & { events: number; last: RunId | null };
