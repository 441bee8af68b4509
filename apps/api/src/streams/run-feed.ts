import { type EventNotices } from '#libs/engine';
import { Changes } from './changes.js';
import { type Feed, type Look, NOTHING, FEED_IS_OVER } from './feed.js';
import { type FollowedRun, type LogReading, RunPages } from './run-pages.js';

const LOOK_ANYWAY_MS = 5_000;

/**
 * The log of one run as this process reads it, for all its followers together; places are seqs. It is over once it holds
 * nothing more and never will, and once another run has its id: none of that one's events is among those of this one.
 *
 * It hears notices before anybody reads, so that an event committed during a read is found by the next one. Notices say
 * how far the log reaches, so nothing is read that cannot be there yet; because a notice may be lost it also looks every
 * five seconds, and when notices say that some were.
 */
export class RunFeed implements Feed {
  private readonly changes = new Changes();
  private pages: RunPages;
  /** How far the log is known to reach; trusted until the next look that is due anyway. */
  private reach = 0;
  private isReachCertain = false;
  /** Where the log ended when the run was last seen to go on. */
  private openAtSeq = 0;
  private readonly timer: NodeJS.Timeout;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly reading: LogReading,
    notices: EventNotices,
    private readonly run: FollowedRun,
  ) {
    this.pages = new RunPages(reading, run);
    const missed = (): void => this.distrust();
    this.unsubscribe = notices.subscribe(run.tenantId, run.runId, ({ toSeq }) => this.hear(toSeq), missed);
    this.timer = setInterval(() => this.distrust(), LOOK_ANYWAY_MS);
  }

  now(): number {
    return this.changes.now();
  }

  afterChange(mark: number, wake: () => void): void {
    this.changes.after(mark, wake);
  }

  async look(from: number): Promise<Look> {
    const held = this.pages.held(from);
    if (held) return { kind: 'piece', piece: held };
    if (from > this.reach) {
      const mayBeOver = this.pages.lastEndSeq > this.openAtSeq;
      if (this.isReachCertain && !mayBeOver) return NOTHING;
      const before = this.reach;
      const { tenantId, runId, bornAt } = this.run;
      const head = await this.reading.log.head(tenantId, runId);
      // Somebody removed the run and made another one with its id.
      if (head.bornAt !== bornAt) return FEED_IS_OVER;
      const { lastSeq, ended } = head;
      if (lastSeq < before) this.forgetAll();
      this.reach = Math.max(this.reach, lastSeq);
      this.isReachCertain = true;
      if (!ended) this.openAtSeq = Math.max(this.openAtSeq, lastSeq);
      if (from > this.reach) return { kind: ended ? 'over' : 'nothing', nextSeq: lastSeq + 1 };
    }
    const piece = await this.pages.read(from);
    if (piece) return { kind: 'piece', piece };
    // It was heard of, and is not there: perhaps the run is gone, which the next look finds out.
    this.reach = from - 1;
    this.isReachCertain = false;
    return NOTHING;
  }

  stop(): void {
    this.unsubscribe();
    clearInterval(this.timer);
    this.pages.close();
  }

  /** Events are only added, so a log that ends before an event that was there is another one: a standby took over. */
  private forgetAll(): void {
    this.reach = 0;
    this.openAtSeq = 0;
    this.pages.close();
    this.pages = new RunPages(this.reading, this.run);
  }

  private hear(toSeq: number): void {
    if (toSeq <= this.reach) return;
    this.reach = toSeq;
    this.changes.tell();
  }

  private distrust(): void {
    this.isReachCertain = false;
    this.changes.tell();
  }
}
