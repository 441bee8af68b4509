import type { RunKey } from '#libs/engine';
import { VIEW_VERSION, type RunView } from '#libs/events';
import type { Parameters } from '../prepared.js';

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

/** SQL: views as rows `w`, the whole of each and beside it its columns. */
export function viewRows<Input>(parameters: Parameters<Input>, of: (input: Input) => readonly ViewRow[]): string {
  return parameters.rows('w', (input) => of(input).map((row) => ({ row, columns: columnsOf(row.view) })), {
    tenant_id: ['text', ({ row }) => row.tenantId],
    run_id: ['text', ({ row }) => row.runId],
    seq: ['bigint', ({ row }) => row.seq],
    view: ['json', ({ row }) => JSON.stringify(row.view)],
    title: ['text', ({ columns }) => columns.title],
    workflow: ['text', ({ columns }) => columns.workflow],
    repository: ['text', ({ columns }) => columns.repository],
    created_at: ['timestamptz', ({ columns }) => columns.created_at],
    updated_at: ['timestamptz', ({ columns }) => columns.updated_at],
    started_at: ['timestamptz', ({ columns }) => columns.started_at],
    completed_at: ['timestamptz', ({ columns }) => columns.completed_at],
  });
}
