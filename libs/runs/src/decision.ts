import type { Control, StoredState } from '#libs/engine';
import {
  saidStatus,
  type KnownStatus,
  type RunEvent,
  type RunFailureReason,
  type RunStatusKind,
  type StampedEvent,
} from '#libs/events';
import type { RunyardError } from '#libs/kernel';

/** Where a run is placed; only `held` counts against limits. */
export type Slot = 'none' | 'queued' | 'held' | 'parked';

/** What a decision rests on, of everything that changes with a run. */
export interface RunHead {
  runId: string;
  status: RunStatusKind;
  slot: Slot;
  leaseEpoch: number;
  pendingControl: Control | null;
  isArchived: boolean;
}

/** What is stored of a run's course, and the digest of what it was made of. A decision may change the state in it. */
export type StoredCourse = StoredState & { specSha256: string };

/** What is read only for decisions that ask for it. */
export interface Known {
  /** Or what stood against reading it: a run can be ended all the same. */
  course?: StoredCourse | { unread: Error };
  /** Why a failed run failed; null where its log does not say. */
  failure?: RunFailureReason | null;
}

/** What a decision may know of the world; nothing here asks for the time, or draws anything. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Gives an event its id and its time, which is `now`. */
  readonly stamp: (event: RunEvent) => StampedEvent;
}

/** What becomes of a run. What is not named stays as it is; nothing does where there are no events. */
export interface Change {
  events: readonly StampedEvent[];
  status?: RunStatusKind;
  slot?: Slot;
  pendingControl?: Control | null;
  /** Counts while the run is parked, in milliseconds since the epoch; null means never. */
  wakeAt?: number | null;
}

/** A change, why there is none, or what has to be known first. */
export type Decision = Change | RunyardError | keyof Known;

export const NOTHING: Change = { events: [] };

/** The status that events leave a run in, whatever becomes of it besides. */
export function statusLeft(before: KnownStatus, events: readonly StampedEvent[]): RunStatusKind {
  return events.reduce<KnownStatus>((status, event) => saidStatus(status, event) ?? status, before).kind;
}

/** A status of which only the kind is known; what a paused run waited for before is then left out. */
export function statusOfKind(kind: RunStatusKind): KnownStatus {
  return kind === 'paused' ? { kind, prior_block: null } : { kind };
}
