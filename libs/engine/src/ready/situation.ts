import type { Cursor, Doing, Position } from '../state/state.js';

/** Where a path stands, as far as it says what the path waits for. */
export type Situation =
  | Exclude<Position['at'], 'stage'>
  | Exclude<Doing['what'], 'asking'>
  /** Asks people: nothing yet; a question that is open; one whose time is over; one that has its end. */
  | 'unasked'
  | 'asked'
  | 'overdue'
  | 'answered';

export function situationOf({ position }: Cursor, now: number): Situation {
  if (position.at !== 'stage') return position.at;
  const { doing } = position.stage;
  if (doing.what !== 'asking') return doing.what;
  if (doing.asked === null) return 'unasked';
  const { until, end } = doing.asked;
  if (end) return 'answered';
  return until !== null && until <= now ? 'overdue' : 'asked';
}

/** When something is due on a path by itself; null when nothing ever is. */
export function dueAt({ position }: Cursor): number | null {
  if (position.at !== 'stage') return null;
  const { doing } = position.stage;
  switch (doing.what) {
    case 'waiting':
    case 'backing_off':
    case 'supervising':
      return doing.until;
    case 'asking':
      return doing.asked && !doing.asked.end ? doing.asked.until : null;
    case 'working':
    case 'forked':
      return null;
  }
}
