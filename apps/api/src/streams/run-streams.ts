import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import pLimit from 'p-limit';
import { EventNotices } from '#libs/engine';
import { type RunId, RunyardError, type TenantId } from '#libs/kernel';
import { ShuttingDownError } from '../edge/errors/request-errors.js';
import { RunLog } from './run-log.js';
import { follow } from './follow.js';
import { Outlet, type Wire } from './outlet.js';
import { RunFeed } from './run-feed.js';
import { type LogReading } from './run-pages.js';
import { Shared } from './shared.js';
import { PageCache } from './page-cache.js';
import { showText } from './show-text.js';
import { TenantFeed } from './tenant-feed.js';

export interface StreamStart {
  tenantId: TenantId;
  runId: RunId;
  /** Which run with this id, as its head says. */
  bornAt: string;
  /** The first event to send. */
  from: number;
  /** The client has had those before it. */
  isGoingOn?: boolean;
  /** Whether models are shown while they speak. */
  deltas?: boolean;
}

export interface TenantStreamStart {
  tenantId: TenantId;
  /** All runs when absent. */
  runIds?: ReadonlySet<string>;
}

/** Rejects when whoever opened the stream may no longer read. */
export type StillAllowed = () => Promise<unknown>;

const HEARTBEAT_MS = 15_000;
const READS_AT_ONCE = 4;
/** Notices that are away longer keep nobody waiting. */
const UNTIL_HEARD_MS = 1_000;

/** All event streams of this process. Those who follow the same share a feed. */
@Injectable()
export class RunStreams implements OnModuleDestroy {
  private readonly runs = new Shared<RunFeed>();
  private readonly tenants = new Shared<TenantFeed>();
  private readonly outlets = new Set<Outlet>();
  private readonly reading: LogReading;
  private closing = false;

  constructor(
    @Inject(RunLog) log: RunLog,
    @Inject(EventNotices) private readonly notices: EventNotices,
  ) {
    this.reading = { log, cache: new PageCache(), limit: pLimit(READS_AT_ONCE) };
  }

  /** How many streams are open. */
  get open(): number {
    return this.outlets.size;
  }

  /** Throws an `unavailable` error when the server is going away; ask right before the response is opened. */
  assertOpen(): void {
    if (this.closing) throw new ShuttingDownError();
  }

  /**
   * Sends the run's events until it is over or removed, the client is gone or too slow, or `stillAllowed` refuses, which is asked
   * with every heartbeat. The response is ended when this settles; it rejects when the log cannot be read.
   */
  async follow(
    { tenantId, runId, bornAt, from, isGoingOn = false, deltas = false }: StreamStart,
    wire: Wire,
    stillAllowed: StillAllowed,
  ): Promise<void> {
    const open = (): RunFeed => new RunFeed(this.reading, this.notices, { tenantId, runId, bornAt });
    await this.runs.use(`${tenantId}/${runId}/${bornAt}`, open, (feed) =>
      this.serve(wire, stillAllowed, async (outlet) => {
        const texts = showText(this.notices, tenantId, runId, outlet);
        try {
          await follow(feed, { from, isGoingOn }, outlet, deltas ? texts.begin : undefined);
        } finally {
          texts.end();
        }
      }),
    );
  }

  /** As {@link follow}, for many runs, from now on. It also ends when the client falls behind. */
  async followAll({ tenantId, runIds }: TenantStreamStart, wire: Wire, stillAllowed: StillAllowed): Promise<void> {
    const open = (): TenantFeed => new TenantFeed(this.reading, this.notices, tenantId);
    await this.tenants.use(tenantId, open, (feed) =>
      this.serve(wire, stillAllowed, (outlet) => follow(feed.of(runIds), { from: feed.end }, outlet)),
    );
  }

  /**
   * Does the work once this process hears the tenant's notices, and as long as it lasts: who follows all runs has no log to
   * read again what was missed. Where notices are away it begins after a second all the same.
   */
  async whileHearing(tenantId: TenantId, work: () => Promise<void>): Promise<void> {
    const leave = this.notices.subscribeAll(tenantId, () => undefined);
    try {
      await this.heard();
      await work();
    } finally {
      leave();
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

  private async heard(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, UNTIL_HEARD_MS)));
    await Promise.race([this.notices.ready(), late]).finally(() => clearTimeout(timer));
  }

  private async serve(wire: Wire, stillAllowed: StillAllowed, send: (outlet: Outlet) => Promise<void>): Promise<void> {
    const outlet = new Outlet(wire);
    const pulse = setInterval(() => {
      outlet.beat();
      stillAllowed().catch((thrown: unknown) => isRefusal(thrown) && outlet.end());
    }, HEARTBEAT_MS);
    this.outlets.add(outlet);
    try {
      await send(outlet);
    } finally {
      clearInterval(pulse);
      outlet.end();
      this.outlets.delete(outlet);
    }
  }
}

/** Who cannot be asked at the moment has not refused. */
function isRefusal(thrown: unknown): boolean {
  return !(thrown instanceof RunyardError && thrown.kind === 'unavailable');
}
