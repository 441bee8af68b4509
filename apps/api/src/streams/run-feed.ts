import { type EventNotices } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { type RunLog } from '../runs/run-use-cases.js';
import { type Frame, frameOf } from './frame.js';

/** What the log holds from some event on; `ended` when it holds nothing there and never will. */
export interface Look {
  readonly frames: readonly Frame[];
  readonly ended: boolean;
}

const NOTHING: Look = { frames: [], ended: false };
const PAGE = 500;
const LOOK_ANYWAY_MS = 5_000;
const MAX_HELD_BYTES = 256 * 1024;

/**
 * The log of one run as this process reads it, for all followers together. Followers that ask for the same events share
 * one read, and the newest events are held so that a follower that lags a little needs none.
 *
 * It hears notices before anybody reads, so that an event committed during a read is found by the next one. Notices say
 * how far the log reaches, so nothing is read that cannot be there yet; because a notice may be lost it also looks every
 * five seconds.
 */
export class RunFeed {
  private moment = 0;
  private waiting: (() => void)[] = [];
  private held: readonly Frame[] = [];
  /** How far the log is known to reach; trusted until the next look that is due anyway. */
  private reach = 0;
  private isReachCertain = false;
  /** A terminal event was seen: the run is over unless it was resumed. */
  private mayBeOver = false;
  private readonly reads = new Map<number, Promise<Look>>();
  private readonly timer: NodeJS.Timeout;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly log: RunLog,
    notices: EventNotices,
    private readonly tenantId: TenantId,
    private readonly runId: RunId,
  ) {
    this.unsubscribe = notices.subscribe(tenantId, runId, ({ toSeq }) => this.hear(toSeq));
    this.timer = setInterval(() => this.distrust(), LOOK_ANYWAY_MS);
  }

  /** A mark to give to {@link afterChange}; take it before looking. */
  now(): number {
    return this.moment;
  }

  /** Calls back once something may have changed since the mark, at once if it already has. */
  afterChange(mark: number, wake: () => void): void {
    if (mark === this.moment) this.waiting.push(wake);
    else wake();
  }

  async look(from: number): Promise<Look> {
    const held = this.heldFrom(from);
    if (held) return { frames: held, ended: false };
    if (this.isReachCertain && from > this.reach && !this.mayBeOver) return NOTHING;
    const shared = this.reads.get(from);
    if (shared) return shared;

    const read = this.read(from).finally(() => {
      if (this.reads.get(from) === read) this.reads.delete(from);
    });
    this.reads.set(from, read);
    return read;
  }

  stop(): void {
    this.unsubscribe();
    clearInterval(this.timer);
  }

  private hear(toSeq: number): void {
    if (toSeq <= this.reach) return;
    this.reach = toSeq;
    this.change();
  }

  private distrust(): void {
    this.isReachCertain = false;
    this.change();
  }

  private change(): void {
    this.moment += 1;
    this.reads.clear();
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  /** Asks how far the log reaches before it reads where nothing is known to be. */
  private async read(from: number): Promise<Look> {
    if (from > this.reach) {
      const { lastSeq, ended } = await this.log.head(this.tenantId, this.runId);
      this.mayBeOver = ended;
      this.reach = Math.max(this.reach, lastSeq);
      this.isReachCertain = true;
      if (from > this.reach) return { frames: [], ended };
    }
    const events = await this.log.read(this.tenantId, this.runId, from, PAGE);
    const frames = events.map(frameOf);
    this.hold(frames);
    this.reach = Math.max(this.reach, frames.at(-1)?.seq ?? 0);
    this.mayBeOver ||= events.some(({ terminal }) => terminal);
    return { frames, ended: false };
  }

  private hold(frames: readonly Frame[]): void {
    const last = this.held.at(-1)?.seq ?? 0;
    const first = frames[0]?.seq ?? 0;
    if ((frames.at(-1)?.seq ?? 0) <= last) return;
    const joined = first <= last + 1 ? [...this.held, ...frames.filter(({ seq }) => seq > last)] : frames;
    this.held = newest(joined);
  }

  private heldFrom(from: number): readonly Frame[] | undefined {
    const first = this.held[0]?.seq;
    if (first === undefined || from < first) return undefined;
    const rest = this.held.slice(from - first);
    return rest.length > 0 ? rest : undefined;
  }
}

/** The end of a list, as much as may be held. */
function newest(frames: readonly Frame[]): readonly Frame[] {
  let bytes = 0;
  let first = frames.length;
  while (first > 0 && frames.length - first < PAGE) {
    bytes += frames[first - 1]?.bytes ?? 0;
    if (bytes > MAX_HELD_BYTES) break;
    first -= 1;
  }
  return frames.slice(first);
}
