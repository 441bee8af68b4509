import type { Appended, Control, Lease, Release, Released, RunStore, Step, Walk } from '#libs/engine';
import { isProgress, type StampedEvent } from '#libs/events';
import type { LargeTexts } from '../values/large-texts.js';

const SNAPSHOT_EVENTS = 200;
/** About what an event weighs. A large state is kept less often, so that keeping it never costs more than the log. */
const EVENT_BYTES = 256;
/** Appends that may be on their way while the walk goes on without work of its own. */
const MAX_AHEAD = 8;

export interface WriterCalls {
  /** Somebody asked for something while the run was held. */
  controlled(control: Control): void;
  /** Something is durable that no later epoch has to do again. */
  progressed(events: readonly StampedEvent[]): void;
  /**
   * An append was not stored, so what was decided since counts for nothing: a `LeaseLostError` where another epoch owns the
   * run, else what keeps it from being stored. Told once.
   */
  failed(reason: unknown): void;
}

/**
 * The log of one run as its worker writes it. Appends leave in order and are not waited for, except where something
 * outside is about to happen; what others appended in between is read and told to the walk, each event once.
 */
export class RunWriter {
  /** The seq that the next append gets, when nobody else appends. */
  private expectedSeq: number;
  /** What others appended up to this seq has been heard. */
  private heardSeq: number;
  /** Grows with everything that becomes known otherwise than by an ordinary append. */
  private known = 0;
  private last: Promise<void> = Promise.resolve();
  /** What is appended waits for this, so that the log keeps its order; absent while nothing is kept elsewhere. */
  private moving: Promise<unknown> | undefined;
  private ahead = 0;
  /** Events on their way. */
  private underway = 0;
  private sinceSnapshot = 0;
  private snapshotAfter = SNAPSHOT_EVENTS;
  private failure: unknown;
  private isClosed = false;
  private letGo = false;

  constructor(
    private readonly store: RunStore,
    readonly lease: Lease,
    nextSeq: number,
    private readonly walk: Walk,
    private readonly texts: LargeTexts,
    private readonly calls: WriterCalls,
  ) {
    this.expectedSeq = nextSeq;
    this.heardSeq = nextSeq - 1;
  }

  /** The highest seq this worker knows, or will have given to what is on its way. */
  get knownSeq(): number {
    return Math.max(this.heardSeq, this.expectedSeq - 1 + this.underway);
  }

  /** Whether this worker has let go of the run, or is about to: it is for the store to say whether it still may. */
  get isLettingGo(): boolean {
    return this.letGo;
  }

  /** Nothing more is appended. */
  close(): void {
    this.isClosed = true;
  }

  /** Sends events on their way. A failure is told once, through the callback, and by the next {@link flushed}. */
  append(events: readonly StampedEvent[]): void {
    if (events.length === 0 || this.failure !== undefined || this.isClosed) return;
    this.sinceSnapshot += events.length;
    const state = this.sinceSnapshot >= this.snapshotAfter ? JSON.stringify(this.walk.state) : null;
    if (state !== null) {
      this.sinceSnapshot = 0;
      this.snapshotAfter = Math.max(SNAPSHOT_EVENTS, state.length / EVENT_BYTES);
    }

    const known = this.known;
    this.ahead++;
    this.underway += events.length;
    const appended = this.send(events);
    this.then(async () => {
      const { base, pendingControl } = await appended;
      this.ahead--;
      if (isProgress(events)) this.calls.progressed(events);
      if (base > this.expectedSeq) await this.hear();
      this.reached(base + events.length);
      this.underway -= events.length;
      // A state that was taken before something else became known is not that of this seq.
      if (state !== null && this.known === known) {
        await this.store.snapshot(this.lease, base + events.length - 1, state);
      }
      if (pendingControl !== null) this.calls.controlled(pendingControl);
    });
    appended.catch(toldByLast);
  }

  /** Large texts are kept elsewhere before their events leave; what is appended meanwhile leaves after them. */
  private send(events: readonly StampedEvent[]): Promise<Appended> {
    const moved = this.texts.moved(events);
    if (!moved && !this.moving) return this.store.append(this.lease, { events });
    const ready = Promise.all([moved ?? events, this.moving]);
    this.moving = ready;
    const appended = ready.then(([fitting]) => this.store.append(this.lease, { events: fitting }));
    void ready.then(() => {
      if (this.moving === ready) this.moving = undefined;
    });
    return appended;
  }

  /** Reads what others appended and tells it to the walk. */
  async hearOthers(): Promise<void> {
    this.then(() => this.hear());
    await this.last;
  }

  /** Says what is decided while nobody else can append, having heard all they said before. */
  async appendLocked(decide: () => Step): Promise<void> {
    await this.last;
    this.known++;
    let count = 0;
    const { base, pendingControl } = await this.store.appendLocked(this.lease, this.heardSeq, (others) => {
      this.tell(others);
      const { events } = decide();
      count = events.length;
      this.known++;
      return events;
    });
    this.reached(base + count);
    if (pendingControl !== null) this.calls.controlled(pendingControl);
  }

  /** Resolves when everything is durable; rejects when something was refused. */
  flushed(): Promise<void> {
    return this.last;
  }

  /** Keeps a walk that needs no work from running away from the database. */
  async keepUp(): Promise<void> {
    if (this.ahead >= MAX_AHEAD) await this.last;
  }

  /**
   * The last append of this lease. Unless it ends the run, it is refused when others said something that was not heard
   * before this was decided; what comes with appends that are still on their way is such a thing.
   */
  async release(release: Omit<Release, 'expectedSeq'>): Promise<Released> {
    const known = this.known;
    await this.flushed();
    const isEnd = release.slot === 'none';
    if (!isEnd && known !== this.known) return { released: false, pendingControl: null };
    const expected = isEnd ? {} : { expectedSeq: Math.max(this.expectedSeq, this.heardSeq + 1) };
    this.underway += release.events.length;
    this.letGo = true;
    const released = await this.store.release(this.lease, { ...release, ...expected });
    this.letGo = released.released;
    if (!released.released) this.underway -= release.events.length;
    return released;
  }

  private async hear(): Promise<void> {
    this.tell(await this.store.readOthers(this.lease, this.heardSeq));
  }

  private tell(others: Awaited<ReturnType<RunStore['readOthers']>>): void {
    for (const event of others) {
      if (event.seq <= this.heardSeq) continue;
      this.walk.hear(event);
      this.heardSeq = event.seq;
      this.known++;
    }
  }

  /** A stage may say something while the head is locked, so replies need not come in the order of the log. */
  private reached(nextSeq: number): void {
    this.expectedSeq = Math.max(this.expectedSeq, nextSeq);
  }

  /** Does something after everything that is on its way. */
  private then(work: () => Promise<void>): void {
    this.last = this.last.then(work);
    this.last.catch((reason: unknown) => {
      if (this.failure !== undefined) return;
      this.failure = reason;
      this.calls.failed(reason);
    });
  }
}

/** An append may fail while an earlier one is still waited for; whoever waits for it in its turn tells. */
const toldByLast = (): void => undefined;
