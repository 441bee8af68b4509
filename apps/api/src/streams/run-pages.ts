import type { LimitFunction } from 'p-limit';
import { type RunId, type TenantId } from '#libs/kernel';
import { type RunLog } from './run-log.js';
import { type LogChunk } from './feed.js';
import { LogPage, pageOf } from './log-page.js';
import type { PageCache } from './page-cache.js';

/** What all followers of this process read through. */
export interface LogReading {
  readonly log: RunLog;
  readonly cache: PageCache;
  /** Few reads at a time: a storm of followers leaves the database to others. */
  readonly limit: LimitFunction;
}

/** A run as its head said it was when somebody began to follow it. */
export interface FollowedRun {
  readonly tenantId: TenantId;
  readonly runId: RunId;
  readonly bornAt: string;
}

/**
 * The log of one run, in pages. However many followers come at once, and wherever each of them stands, a page is read
 * once; and none of them holds one in memory, so a slow one costs nothing but what waits for it.
 */
export class RunPages {
  /** The last event that was read which may have ended the run; 0 when there was none. */
  lastEndSeq = 0;
  private readonly pages = new Map<number, LogPage>();
  private readonly reads = new Map<number, Promise<LogPage>>();
  private closed = false;

  constructor(
    private readonly reading: LogReading,
    private readonly run: FollowedRun,
  ) {}

  /** What is at hand from an event on. */
  held(from: number): LogChunk | undefined {
    const index = pageOf(from);
    const page = this.pages.get(index);
    if (page) this.keep(index, page);
    return page?.piece(from);
  }

  /** What the log holds from an event on, as of now; undefined when it does not reach there. */
  async read(from: number): Promise<LogChunk | undefined> {
    const index = pageOf(from);
    // A read that is on its way may have begun before the event was there; the one after it did not.
    const underway = (await this.reads.get(index))?.piece(from);
    return underway ?? (await this.grow(index)).piece(from);
  }

  close(): void {
    this.closed = true;
    for (const page of this.pages.values()) this.reading.cache.remove(page);
    this.pages.clear();
  }

  /** Reads what a page lacks. There is one read of a page at a time; whoever asks meanwhile gets the same. */
  private grow(index: number): Promise<LogPage> {
    const underway = this.reads.get(index);
    if (underway) return underway;
    const read = this.reading.limit(() => this.grown(index)).finally(() => this.reads.delete(index));
    this.reads.set(index, read);
    return read;
  }

  private async grown(index: number): Promise<LogPage> {
    const page = this.pages.get(index) ?? new LogPage(index);
    const { tenantId, runId, bornAt } = this.run;
    const events = await this.reading.log.read(tenantId, runId, page.nextSeq, page.missing, bornAt);
    page.add(events);
    this.lastEndSeq = Math.max(this.lastEndSeq, events.findLast(({ terminal }) => terminal)?.seq ?? 0);
    if (!this.closed) this.keep(index, page);
    return page;
  }

  private keep(index: number, page: LogPage): void {
    this.pages.set(index, page);
    this.reading.cache.use(page, () => this.pages.delete(index));
  }
}
