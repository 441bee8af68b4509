import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EventNotices } from '#libs/engine';
import { type RunId, type TenantId } from '#libs/kernel';
import { ShuttingDownError } from '../errors/request-errors.js';
import { RunLog } from '../runs/run-use-cases.js';
import { follow } from './follow.js';
import { Outlet, type Wire } from './outlet.js';
import { RunFeed } from './run-feed.js';

export interface StreamStart {
  tenantId: TenantId;
  runId: RunId;
  /** The first event to send. */
  from: number;
}

const HEARTBEAT_MS = 15_000;

/** All event streams of this process. Followers of one run share its feed. */
@Injectable()
export class RunStreams implements OnModuleDestroy {
  private readonly feeds = new Map<string, { feed: RunFeed; followers: number }>();
  private readonly outlets = new Set<Outlet>();
  private closing = false;

  constructor(
    @Inject(RunLog) private readonly log: RunLog,
    @Inject(EventNotices) private readonly notices: EventNotices,
  ) {}

  /** How many streams are open. */
  get open(): number {
    return this.outlets.size;
  }

  /** Throws an `unavailable` error when the server is going away; ask before the response is opened. */
  assertOpen(): void {
    if (this.closing) throw new ShuttingDownError();
  }

  /**
   * Sends the run's events until it is over, the client is gone or too slow, or `stillAllowed` rejects, which is asked
   * with every heartbeat. The response is ended when this settles; it rejects when the log cannot be read.
   */
  async follow(
    { tenantId, runId, from }: StreamStart,
    wire: Wire,
    stillAllowed: () => Promise<unknown>,
  ): Promise<void> {
    const key = `${tenantId}/${runId}`;
    const outlet = new Outlet(wire);
    const pulse = setInterval(() => {
      outlet.beat();
      stillAllowed().catch(() => outlet.end());
    }, HEARTBEAT_MS);
    this.outlets.add(outlet);
    try {
      await follow(this.enter(key, tenantId, runId), from, outlet);
    } finally {
      this.leave(key);
      clearInterval(pulse);
      outlet.end();
      this.outlets.delete(outlet);
    }
  }

  /** Ends every stream and opens no more; clients come back to another process with their last event id. */
  closeAll(): void {
    this.closing = true;
    for (const outlet of this.outlets) outlet.end();
  }

  onModuleDestroy(): void {
    this.closeAll();
  }

  private enter(key: string, tenantId: TenantId, runId: RunId): RunFeed {
    const entry = this.feeds.get(key) ?? { feed: new RunFeed(this.log, this.notices, tenantId, runId), followers: 0 };
    entry.followers += 1;
    this.feeds.set(key, entry);
    return entry.feed;
  }

  private leave(key: string): void {
    const entry = this.feeds.get(key);
    if (!entry) return;
    entry.followers -= 1;
    if (entry.followers > 0) return;
    entry.feed.stop();
    this.feeds.delete(key);
  }
}
