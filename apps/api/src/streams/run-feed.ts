import { type EventNotices } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { Changes } from './changes.js';
import { type Feed, type Look, NOTHING, OVER } from './feed.js';
import { type LogReading, RunPages } from './run-pages.js';

const LOOK_ANYWAY_MS = 5_000;

/**
 * The log of one run as this process reads it, for all its followers together; places are seqs. It is over once it holds
 * nothing more and never will.
 *
 * It hears notices before anybody reads, so that an event committed during a read is found by the next one. Notices say
 * how far the log reaches, so nothing is read that cannot be there yet; because a notice may be lost it also looks every
 * five seconds, and when notices say that some were.
 */
export class RunFeed implements Feed {
  private readonly changes = new Changes();
  private readonly pages: RunPages;
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
    private readonly tenantId: TenantId,
    private readonly runId: RunId,
  ) {
    this.pages = new RunPages(reading, tenantId, runId);
    const missed = (): void => this.distrust();
    this.unsubscribe = notices.subscribe(tenantId, runId, ({ toSeq }) => this.hear(toSeq), missed);
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
      const { lastSeq, ended } = await this.reading.log.head(this.tenantId, this.runId);
      this.reach = Math.max(this.reach, lastSeq);
      this.isReachCertain = true;
      if (!ended) this.openAtSeq = Math.max(this.openAtSeq, lastSeq);
      if (from > this.reach) return ended ? OVER : NOTHING;
    }
    const piece = await this.pages.read(from);
    return piece ? { kind: 'piece', piece } : NOTHING;
  }

  stop(): void {
    this.unsubscribe();
    clearInterval(this.timer);
    this.pages.close();
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
