import type { RunKey } from '#libs/engine';
import { VIEW_VERSION, type RunView } from '#libs/events';

export interface ViewRow extends RunKey {
  seq: number;
  view: RunView;
}

/** SQL: up to where the row `v` of run_views is a fold of the log; 0 when another version of the fold made it. */
export const SEQ_OF_VIEW = `CASE WHEN v.version = ${VIEW_VERSION} THEN v.seq ELSE 0 END`;

/** Views as parallel arrays: the whole of each, and beside it the columns that lists sort by. */
export function viewColumns(rows: readonly ViewRow[]): unknown[] {
  const views = rows.map(({ view }) => view);
  return [
    rows.map(({ tenantId }) => tenantId),
    rows.map(({ runId }) => runId),
    rows.map(({ seq }) => seq),
    views.map((view) => JSON.stringify(view)),
    views.map(({ title }) => title),
    views.map(({ workflow }) => workflow.name ?? workflow.slug ?? workflow.graph_name),
    views.map(({ git }) => git?.origin_url ?? null),
    views.map(({ timestamps }) => timestamps.created_at),
    views.map(({ timestamps }) => timestamps.last_event_at),
    views.map(({ timestamps }) => timestamps.started_at),
    views.map(({ timestamps }) => timestamps.completed_at),
  ];
}
