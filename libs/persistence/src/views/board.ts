/** The columns of the board from left to right; `run_place` in SQL says which statuses stand in each. */
const COLUMNS = [
  'pending',
  'runnable',
  'initializing',
  'running',
  'blocked',
  'succeeded',
  'failed',
  'archived',
  'removing',
] as const;

export type BoardColumn = (typeof COLUMNS)[number];

/** A column's place on the board, from 0. */
export function boardPlaceOf(column: BoardColumn): number {
  return COLUMNS.indexOf(column);
}

/** SQL: the place of the column in which a run with head `h` stands, as `run_heads_board` holds it. */
export const PLACE = 'run_place(h.status, h.archived_at)';
