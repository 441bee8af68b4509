import type { RunKey } from '#libs/engine';
import { VIEW_VERSION, type StageView } from '#libs/events';
import type { Queryable, Statement } from '../database.js';
import { columnsOf } from './run-view-row.js';
import type { ViewFold } from './view-fold.js';

/** The read models of a run at one moment. */
export interface StoredViews {
  /** Up to where they claim to be the fold of the log. */
  seq: number;
  /** Of the log at the same moment. */
  lastSeq: number;
  /** Null when the row is lost. */
  view: string | null;
  /** JSON: what {@link columnsOf} says. */
  columns: string;
  /** JSON: what {@link stageRows} says. */
  stages: string;
}

/** SQL: a moment as events write it. */
const written = (moment: string): string => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// One statement sees one moment, and views are written together in one transaction. Those of another version are no folds
// of this one, and where the log cannot be read there is nothing to fold.
const readViews: Statement = {
  name: 'read-stored-views',
  text: `
SELECT coalesce(v.seq, 0) AS seq, h.next_seq - 1 AS "lastSeq", v.view,
       json_build_object('title', v.title, 'workflow', v.workflow, 'repository', v.repository,
         'created_at', ${written('v.created_at')}, 'updated_at', ${written('v.updated_at')},
         'started_at', ${written('v.started_at')}, 'completed_at', ${written('v.completed_at')}) AS columns,
       coalesce((SELECT json_object_agg(s.stage_id, json_build_object('first_seq', s.first_seq, 'is_open', s.is_open, 'view', s.view))
                   FROM stage_views s WHERE s.tenant_id = h.tenant_id AND s.run_id = h.run_id), '{}') AS stages
  FROM run_heads h LEFT JOIN run_views v ON v.tenant_id = h.tenant_id AND v.run_id = h.run_id
 WHERE h.tenant_id = $1 AND h.run_id = $2 AND h.status NOT IN ('dead', 'removing')
   AND (v.run_id IS NULL OR v.version = ${VIEW_VERSION} AND v.seq > 0)`,
};

/** What is stored; null where nothing claims to be a fold of this version, so that there is nothing to compare. */
export async function readStoredViews(db: Queryable, { tenantId, runId }: RunKey): Promise<StoredViews | null> {
  const [row] = await db.query<StoredViews>(readViews, [tenantId, runId]);
  return row ?? null;
}

/** The rows that a fold of the whole log gives, in the shape of {@link StoredViews}. */
export function foldedViews({ view, changed }: ViewFold): Record<'view' | 'columns' | 'stages', unknown> {
  return { view, columns: columnsOf(view), stages: Object.fromEntries([...changed.values()].map(stageRow)) };
}

function stageRow(view: StageView): [string, unknown] {
  return [view.id, { first_seq: view.first_seq, is_open: view.ended_at === null, view }];
}
