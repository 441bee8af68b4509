import type { RunSpec, StampedEvent, UnknownEvent } from '#libs/events';
import { RunyardError, type RunId, type TenantId } from '#libs/kernel';
import type { RunState } from '../state/state.js';

export interface RunKey {
  tenantId: TenantId;
  runId: RunId;
}

/** The timed right to drive one run. Every write carries it, and the database refuses an old epoch. */
export interface Lease extends RunKey {
  owner: string;
  epoch: number;
}

/** Another epoch owns the run, or the run has ended. Whatever this worker still holds of it is void: never try again. */
export class LeaseLostError extends RunyardError {
  override readonly code = 'lease_lost';
  readonly kind = 'conflict';

  constructor({ runId, epoch }: Lease, options?: ErrorOptions) {
    super(`Epoch ${epoch} of run ${runId} is over.`, options);
  }
}

/** A run this worker may now drive. */
export interface ClaimedRun {
  lease: Lease;
  /** When the run was stored: tells it from an earlier one with the same id. */
  bornAt: string;
  /** The seq that the next append gets. */
  nextSeq: number;
  /** Whether a worker held it before and was lost: its work may still go on somewhere. */
  wasLost: boolean;
  /** Epochs that were lost in a row without progress. A loss that a restart of the database explains does not count. */
  epochsWithoutProgress: number;
  pendingControl: Control | null;
  specSha256: string;
  sourceDirectory: string | null;
  sandboxProvider: string;
}

export type Control = 'cancel' | 'pause' | 'unpause';

export interface Appended {
  /** The seq of the first event of this append. Beyond what the worker expected, others have appended before it. */
  base: number;
  pendingControl: Control | null;
}

export interface Append {
  events: readonly StampedEvent[];
}

/** The append with which a worker lets go of a run. */
export interface Release extends Append {
  /** `none` after the end, `parked` while only time or an answer moves it on, `queued` to hand it to another worker. */
  slot: 'none' | 'parked' | 'queued';
  /** With `parked`: when it wakes by itself. */
  wakeAt: number | null;
  /** The state after these events as JSON, kept so that the next worker need not read the whole log. */
  state: string | null;
  /** The seq that its first event must get: refused when others have appended since. Absent: they need not be heard. */
  expectedSeq?: number;
}

export interface Renewed {
  pendingControl: Control | null;
  /** How far the log reaches. Beyond what the worker knows, others have appended. */
  lastSeq: number;
}

/** Not released: a control request or an event of others arrived first, nothing was stored, the run is still held. */
export type Released = { released: true } | { released: false; pendingControl: Control | null };

/** Why a worker cannot go on with a run that it holds. */
export interface DriveFault {
  /** `unavailable`: something that it needs is away and will be back. `defect`: trying again may come to the same. */
  kind: 'unavailable' | 'defect';
  /** A sentence for people. */
  cause: string;
  /**
   * Whether this epoch reached a checkpoint before: then a new series of faults begins. What is progress otherwise does not
   * count here, as an agent may take the same turns in every epoch until it comes to the same defect.
   */
  hasGotOn: boolean;
}

/** Not given up, nothing was stored, the run is still held: it is to end as cancelled, or it had its last try. */
export type GivenUp = { givenUp: true } | { givenUp: false; because: 'cancel' | 'defects' };

export interface StoredState {
  spec: RunSpec;
  /** The newest snapshot, or null. */
  snapshot: { seq: number; state: RunState } | null;
  /** The log after the snapshot, in order. */
  tail: readonly ((StampedEvent | UnknownEvent) & { seq: number })[];
}

/**
 * What a worker needs of the database. All order, all leases and all deadlines are the database's. A method may fail
 * with an `unavailable` error when the database cannot be reached; `append` and `release` then find out by themselves
 * whether they were committed, and never store the same append twice, however late a first sending arrives. A lease is
 * the object that {@link claim} gave: a copy of it can write nothing. It is lost, too, once the log lacks what was stored
 * with it, because a standby took over that never had it.
 */
export abstract class RunStore {
  /**
   * Takes up to `limit` runs that hold a slot and have no living owner, first promoted first; with `hints` only those.
   * Each gets the next epoch and a lease of 10 s. Two workers never get the same run, none gets a run of a newer engine,
   * and of the suspects (see `standingAfter`) it drives one at a time while the others wait. One that fails may have taken
   * runs all the same: the next claim of the same store gives them back before it takes any, and counts no lost worker.
   */
  abstract claim(owner: string, limit: number, hints?: readonly RunKey[]): Promise<ClaimedRun[]>;

  /** The definition of a claimed run. Definitions never change and are kept in memory. */
  abstract spec(run: RunKey, specSha256: string): Promise<RunSpec>;

  /** Where a run stands: its newest snapshot and the log after it. */
  abstract load(run: RunKey): Promise<Omit<StoredState, 'spec'>>;

  /** What others than workers appended after `seq`, in order. */
  abstract readOthers(run: RunKey, seq: number): Promise<StoredState['tail']>;

  /**
   * Appends all events or none and gives them their seqs; renews the lease. Appends of one run are stored in the order
   * of the calls, and a later one waits for an earlier one. Throws {@link LeaseLostError} once the epoch is over.
   */
  abstract append(lease: Lease, append: Append): Promise<Appended>;

  /**
   * Appends what is decided while nobody else can append: `decide` is given what others appended after `othersSeq`. Must
   * not overlap with an {@link append} of the same run. When the reply is lost it throws an `unavailable` error and
   * nobody knows what was stored: the caller gives up the run. Throws {@link LeaseLostError} once the epoch is over.
   */
  abstract appendLocked(
    lease: Lease,
    othersSeq: number,
    decide: (others: StoredState['tail']) => readonly StampedEvent[],
  ): Promise<Appended>;
  /** Keeps the state as of `seq`, so that the log need not be read from its start. Does nothing once the epoch is over. */
  abstract snapshot(lease: Lease, seq: number, state: string): Promise<void>;

  /**
   * The last append of an epoch: gives back worker and slot in the same transaction, which also promotes who waits for
   * the slot. A release that does not end the run is refused while a control request is pending (unless it fulfils it),
   * or when others have appended something unheard, so that nothing is slept through.
   */
  abstract release(lease: Lease, release: Release): Promise<Released>;

  /**
   * Gives back a run that this worker cannot go on with: it parks, wakes by itself after 1 s, twice as long after each
   * further fault in a row, at most 20 s, and counts no lost worker. The first fault of a series is told in the log.
   * Refused while a cancel is pending and for the last of `MAX_DEFECTS` defects in a row: then the caller ends the
   * run. Throws {@link LeaseLostError} once the epoch is over, and so after a repetition.
   */
  abstract giveUp(lease: Lease, fault: DriveFault): Promise<GivenUp>;

  /**
   * The run is `dead`: nobody can read where it stands, so nobody drives it any more. Gives back its slot; nothing is
   * appended. Throws {@link LeaseLostError} once the epoch is over.
   */
  abstract quarantine(lease: Lease, cause: string): Promise<void>;

  /**
   * Renews leases. A lease that is missing from the result is lost.
   * @returns where each run that is still held stands
   */
  abstract renew(owner: string, leases: readonly Lease[]): Promise<Map<Lease, Renewed>>;
}
