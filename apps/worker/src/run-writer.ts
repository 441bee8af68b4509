import type { Lease, Release, Released, RunStore, Walk } from '#libs/engine';
import type { StampedEvent } from '#libs/events';

const SNAPSHOT_EVENTS = 200;
/** Appends that may be on their way while the walk goes on without work of its own. */
const MAX_AHEAD = 8;

export interface WriterCalls {
  /** Somebody asked for something while the run was held. */
  controlled(control: string): void;
  /** An append was refused or could not be stored: the worker holds the run no longer. Told once. */
  refused(reason: unknown): void;
}

/**
 * The log of one run as its worker writes it. Appends leave in order and are not waited for, except where something
 * outside is about to happen; what others appended in between is read and told to the walk.
 */
export class RunWriter {
  private expectedSeq: number;
  private last: Promise<void> = Promise.resolve();
  private ahead = 0;
  /** Events on their way. */
  private underway = 0;
  private sinceSnapshot = 0;
  private failure: unknown;

  constructor(
    private readonly store: RunStore,
    readonly lease: Lease,
    nextSeq: number,
    private readonly walk: Walk,
    private readonly calls: WriterCalls,
  ) {
    this.expectedSeq = nextSeq;
  }

  /** The highest seq this worker knows, or will have given to what is on its way. */
  get knownSeq(): number {
    return this.expectedSeq - 1 + this.underway;
  }

  /** Sends events on their way. A failure is told once, through the callback, and by the next {@link flushed}. */
  append(events: readonly StampedEvent[]): void {
    if (events.length === 0 || this.failure !== undefined) return;
    const progress = events.some(({ event }) => event === 'stage.completed' || event === 'stage.failed');
    this.sinceSnapshot += events.length;
    const state = this.sinceSnapshot >= SNAPSHOT_EVENTS ? JSON.stringify(this.walk.state) : null;
    if (state !== null) this.sinceSnapshot = 0;

    this.ahead++;
    this.underway += events.length;
    const appended = this.store.append(this.lease, { events, progress });
    this.last = Promise.all([appended, this.last]).then(async ([{ base, pendingControl }]) => {
      this.ahead--;
      await this.hearMissed(base);
      this.expectedSeq = base + events.length;
      this.underway -= events.length;
      if (state !== null) await this.store.snapshot(this.lease, this.expectedSeq - 1, state);
      if (pendingControl !== null) this.calls.controlled(pendingControl);
    });
    this.last.catch((reason: unknown) => {
      if (this.failure !== undefined) return;
      this.failure = reason;
      this.calls.refused(reason);
    });
  }

  /** Resolves when everything is durable; rejects when something was refused. */
  flushed(): Promise<void> {
    return this.last;
  }

  /** Keeps a walk that needs no work from running away from the database. */
  async keepUp(): Promise<void> {
    if (this.ahead >= MAX_AHEAD) await this.last;
  }

  async release(release: Omit<Release, 'progress'>): Promise<Released> {
    await this.flushed();
    this.underway += release.events.length;
    return this.store.release(this.lease, { ...release, progress: true });
  }

  private async hearMissed(base: number): Promise<void> {
    if (base <= this.expectedSeq) return;
    const missed = await this.store.readBetween(this.lease, this.expectedSeq, base);
    for (const event of missed) this.walk.hear(event);
  }
}
