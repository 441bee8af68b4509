import { openStageOf } from './cursors.js';
import type { Doing, RunState } from './state.js';

export interface Outlook {
  /** The next moment at which something is due by itself; null when nothing ever is. */
  wakeAt: number | null;
  /** Whether nothing is being executed. */
  quiet: boolean;
}

/** What the open stages wait for, beyond what was due already. While a run is paused only questions run out of time. */
export function outlook({ phase, pause, cursors }: RunState, triedAt: number): Outlook {
  if (phase !== 'walking') return { wakeAt: null, quiet: true };
  let wakeAt: number | null = null;
  let quiet = true;
  for (const path in cursors) {
    const doing = openStageOf(cursors[path]!)?.doing;
    if (doing?.what === 'working') quiet = false;
    const isDue = pause === 'none' || doing?.what === 'asking';
    const due = doing && isDue ? dueAt(doing) : null;
    if (due !== null && due > triedAt && (wakeAt === null || due < wakeAt)) wakeAt = due;
  }
  return { wakeAt, quiet };
}

function dueAt(doing: Doing): number | null {
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
