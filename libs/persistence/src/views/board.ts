import type { RunStatusKind } from '#libs/events';

/** The columns of the board from left to right, and the statuses behind each. */
const COLUMNS = {
  pending: ['submitted', 'pending'],
  runnable: ['runnable'],
  initializing: ['starting'],
  running: ['running', 'paused'],
  blocked: ['blocked'],
  succeeded: ['succeeded'],
  failed: ['failed', 'dead'],
  archived: [],
  removing: ['removing'],
} as const satisfies Record<string, readonly RunStatusKind[]>;

export type BoardColumn = keyof typeof COLUMNS;

const order = Object.keys(COLUMNS) as BoardColumn[];

/** A column's place on the board, from 0. */
export function placeOf(column: BoardColumn): number {
  return order.indexOf(column);
}

const cases = order
  .filter((column) => column !== 'archived')
  .map(
    (column) => `WHEN h.status IN (${COLUMNS[column].map((kind) => `'${kind}'`).join(', ')}) THEN ${placeOf(column)}`,
  );

/** SQL: the place of the column in which a run with head `h` stands. An archived one stands nowhere else. */
export const PLACE = `
  CASE WHEN h.archived_at IS NOT NULL AND h.status <> 'removing' THEN ${placeOf('archived')} ${cases.join(' ')} END`;
