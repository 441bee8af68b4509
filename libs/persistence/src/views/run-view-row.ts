import type { RunKey } from '#libs/engine';
import { VIEW_VERSION, type RunView } from '#libs/events';

export interface ViewRow extends RunKey {
  seq: number;
  view: RunView;
}

/** SQL: up to where the row `v` of run_views is a fold of the log; 0 when another version of the fold made it. */
export const SEQ_OF_VIEW = `CASE WHEN v.version = ${VIEW_VERSION} THEN v.seq ELSE 0 END`;

/** What lists are sorted and searched by, beside the whole view. */
export function columnsOf({ title, workflow, git, timestamps }: RunView) {
  return {
    title,
    workflow: workflow.name ?? workflow.slug ?? workflow.graph_name,
    repository: git?.origin_url ?? null,
    created_at: timestamps.created_at,
    updated_at: timestamps.last_event_at,
    started_at: timestamps.started_at,
    completed_at: timestamps.completed_at,
  };
}

/** Views as parallel arrays: the whole of each, and beside it its columns. */
export function viewColumns(rows: readonly ViewRow[]): unknown[] {
  const columns = rows.map(({ view }) => columnsOf(view));
  return [
    rows.map(({ tenantId }) => tenantId),
    rows.map(({ runId }) => runId),
    rows.map(({ seq }) => seq),
    rows.map(({ view }) => JSON.stringify(view)),
    columns.map(({ title }) => title),
    columns.map(({ workflow }) => workflow),
    columns.map(({ repository }) => repository),
    columns.map(({ created_at }) => created_at),
    columns.map(({ updated_at }) => updated_at),
    columns.map(({ started_at }) => started_at),
    columns.map(({ completed_at }) => completed_at),
  ];
}
