import type { RunKey } from '#libs/engine';
import type { RunView } from '#libs/events';

export interface ViewRow extends RunKey {
  seq: number;
  view: RunView;
}

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
