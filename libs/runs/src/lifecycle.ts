import { RUN_STATUSES, type RunStatusKind } from '#libs/events';

interface Row {
  /** What cannot be done with a run that refuses: "Run X is running; it cannot be …". */
  word: string;
  /** Where the command leads, by the status it is given in; of several one, as the rest of the run has it. Others refuse. */
  moves: Partial<Record<RunStatusKind, readonly RunStatusKind[]>>;
  /** An archived run takes it, too. */
  takenArchived?: true;
}

/**
 * Status × command: the one table of a run's lifecycle. What refuses, what is listed in SQL and what is chosen by a status is
 * taken from here; where the events of a command lead is held against it.
 */
export const lifecycle = {
  // What people ask for, or a run that speaks for itself.
  start: { word: 'started', moves: { submitted: ['runnable', 'pending'] } },
  approve: { word: 'approved', moves: { pending: ['runnable'] } },
  deny: { word: 'denied', moves: { pending: ['failed'] } },
  resume: { word: 'resumed', moves: { submitted: ['runnable', 'pending'], failed: ['runnable', 'pending'] } },
  cancel: {
    word: 'cancelled',
    moves: {
      ...to('failed', 'submitted', 'pending', 'runnable', 'paused'),
      starting: ['failed', 'starting'],
      running: ['failed', 'running'],
      blocked: ['failed', 'blocked'],
    },
  },
  pause: { word: 'paused', moves: { running: ['paused', 'running'], blocked: ['paused', 'blocked'] } },
  unpause: { word: 'unpaused', moves: { paused: ['running', 'blocked'] } },
  answer: {
    word: 'answered',
    moves: {
      ...stay('submitted', 'pending', 'runnable', 'starting', 'running', 'paused'),
      blocked: ['running', 'blocked'],
    },
  },
  retry: { word: 'retried', moves: stay('succeeded', 'failed', 'dead') },
  rewind: { word: 'rewound', moves: stay('succeeded', 'failed', 'dead') },
  fork: { word: 'forked', moves: stay(...allBut('removing')) },
  archive: { word: 'archived', moves: stay('succeeded', 'failed', 'dead'), takenArchived: true },
  unarchive: { word: 'unarchived', moves: stay('succeeded', 'failed', 'dead'), takenArchived: true },
  rename: { word: 'renamed', moves: stay(...RUN_STATUSES), takenArchived: true },
  link: { word: 'linked', moves: stay(...RUN_STATUSES), takenArchived: true },
  unlink: { word: 'unlinked', moves: stay(...RUN_STATUSES), takenArchived: true },
  remove: { word: 'removed', moves: to('removing', 'succeeded', 'failed', 'dead', 'removing'), takenArchived: true },

  // What the server does when its time has come.
  promote: { word: 'promoted', moves: { runnable: ['starting'], ...stay('starting', 'running', 'blocked') } },
  wake: { word: 'woken', moves: stay('starting', 'running', 'blocked') },
  time_out: { word: 'timed out', moves: stay('paused') },
  end_unheard: { word: 'ended', moves: to('failed', 'starting', 'running', 'blocked') },
  quarantine: { word: 'quarantined', moves: to('dead', 'starting', 'running', 'blocked') },
  // Nobody could read the log of a dead run there; it stays where it is.
  move_log: { word: 'moved', moves: stay('succeeded', 'failed') },
} satisfies Record<string, Row>;

/** Everything that is done with a run, whatever becomes of it. */
export type Doing = keyof typeof lifecycle;

const rows: Record<Doing, Row> = lifecycle;

/** Where a command may lead from a status; empty where it is refused. */
export function leadsTo(doing: Doing, status: RunStatusKind): readonly RunStatusKind[] {
  return rows[doing].moves[status] ?? [];
}

/** The statuses in which a command is taken. */
export function statusesFor(doing: Doing): readonly RunStatusKind[] {
  return RUN_STATUSES.filter((status) => leadsTo(doing, status).length > 0);
}

export function isTakenArchived(doing: Doing): boolean {
  return rows[doing].takenArchived ?? false;
}

/** How a refusal names what was asked for. */
export function wordFor(doing: Doing): string {
  return rows[doing].word;
}

/** The statuses in which a run takes no more of its worker: there is nothing to cancel any more. */
export const OVER_STATUSES: readonly RunStatusKind[] = allBut(...statusesFor('cancel'));

export function isOver(status: RunStatusKind): boolean {
  return OVER_STATUSES.includes(status);
}

function allBut(...left: readonly RunStatusKind[]): readonly RunStatusKind[] {
  return RUN_STATUSES.filter((status) => !left.includes(status));
}

function stay(...statuses: readonly RunStatusKind[]): Row['moves'] {
  return Object.fromEntries(statuses.map((status) => [status, [status]]));
}

function to(next: RunStatusKind, ...from: readonly RunStatusKind[]): Row['moves'] {
  return Object.fromEntries(from.map((status) => [status, [next]]));
}
