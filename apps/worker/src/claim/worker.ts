import { type ClaimedRun, type Lease, type Renewed, type RunKey } from '#libs/engine';
import { messageOf, monotonicMs, TimeLimit } from '#libs/kernel';
import type { RunBell, RunHint } from '#libs/scheduling';
import type { Logger } from '#libs/server-runtime';
import type { DriverParts } from '../drive/driver-parts.js';
import { RenewalTimer } from './renewal-timer.js';
import { RunDriver, type DriveEnd } from '../drive/run-driver.js';
import { WorkerStuckError } from './worker-stuck.js';

export interface WorkerOptions {
  /** Runs driven at once. */
  slots: number;
}

const POLL_EVERY_MS = 3_000;
/** What was cut off may take this long to end; it is far more than it takes. */
const END_WITHIN_MS = 5_000;

interface Driven {
  driver: RunDriver;
  done: Promise<void>;
  unsubscribe: () => void;
}

/**
 * Claims runs and drives them, as many as it has slots. A bell shortens the wait for a claim and a poll replaces the
 * bell when it is lost. Leases are renewed from one timer; a lease that cannot be renewed is fenced here before it can
 * be taken elsewhere.
 */
export class Worker {
  private readonly driven = new Map<string, Driven>();
  private readonly hints = new Map<string, RunKey>();
  private stopListening: (() => Promise<void>) | undefined;
  private readonly renewals = new RenewalTimer(
    () => this.renewAll(),
    () => this.loseAll(),
  );
  private pollTimer: NodeJS.Timeout | undefined;
  private claiming: Promise<void> | undefined;
  /** Not since a renewal failed, until one works: what was claimed meanwhile would be lost again. */
  private canRenew = true;
  private stopping = false;

  constructor(
    private readonly parts: DriverParts,
    private readonly bell: RunBell,
    private readonly log: Logger,
    private readonly options: WorkerOptions,
  ) {}

  get slots(): number {
    return this.options.slots;
  }

  get slotsInUse(): number {
    return this.driven.size;
  }

  async start(): Promise<void> {
    this.renewals.start();
    this.pollTimer = setInterval(() => void this.claim(), POLL_EVERY_MS);
    this.stopListening = await this.bell.listen(this.options.slots, async (hint) => this.hear(hint));
    await this.claim();
  }

  /** A run may be claimed: takes it if a slot is free. */
  hear(hint: RunHint): void {
    this.hints.set(`${hint.tenantId} ${hint.runId}`, hint);
    if (!this.claiming) setImmediate(() => void this.claim());
  }

  get hasFreeSlot(): boolean {
    return !this.stopping && this.canRenew && this.driven.size + this.hints.size < this.options.slots;
  }

  /**
   * Claims nothing more and hands its runs over at their next safe point; what is not there after `graceMs` is cut off.
   * Rejects with a {@link WorkerStuckError} 5 s later when something still does not end: the process is to exit then.
   */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    clearInterval(this.pollTimer);
    const grace = new TimeLimit(graceMs);
    const patience = new TimeLimit(graceMs + END_WITHIN_MS);
    grace.signal.addEventListener('abort', () => this.loseAll());
    for (const { driver } of this.driven.values()) driver.handOver();
    try {
      const tooLate = new Promise<never>((_, reject) => {
        patience.signal.addEventListener('abort', () => reject(this.stuck(graceMs + END_WITHIN_MS)));
      });
      await Promise.race([Promise.all([this.stopListening?.(), this.allEnded()]), tooLate]);
    } finally {
      grace.end();
      patience.end();
      this.renewals.stop();
    }
  }

  private async allEnded(): Promise<void> {
    await this.claiming;
    await Promise.all([...this.driven.values()].map(({ done }) => done));
  }

  private stuck(afterMs: number): WorkerStuckError {
    const held = [...this.driven.values()].map(({ driver: { lease, executing } }) => ({ lease, executing }));
    for (const { lease, executing } of held) {
      const { runId: run, tenantId: tenant, epoch } = lease;
      this.log.error({ run, tenant, epoch, stages: executing }, 'A run keeps its worker from ending.');
    }
    return new WorkerStuckError(afterMs, held);
  }

  /** Claims as long as there is reason to; one at a time. */
  private async claim(): Promise<void> {
    if (this.claiming || this.stopping || !this.canRenew) return;
    this.claiming = this.claimAll();
    await this.claiming;
    this.claiming = undefined;
  }

  private async claimAll(): Promise<void> {
    try {
      do {
        const free = this.options.slots - this.driven.size;
        // Whoever gets a slot back looks at all runs: one that lost its worker goes before one that was rung for.
        if (free <= 0) return this.hints.clear();
        const hinted = [...this.hints.values()].slice(0, free);
        for (const key of [...this.hints.keys()].slice(0, free)) this.hints.delete(key);
        const sentAtMs = monotonicMs();
        const claimed = await this.parts.store.claim(this.parts.workerId, free, hinted.length > 0 ? hinted : undefined);
        for (const run of claimed) this.drive(run, sentAtMs);
      } while (this.hints.size > 0 && !this.stopping);
    } catch (thrown) {
      this.log.warn({ error: messageOf(thrown) }, 'Claiming runs failed; it is tried again.');
    }
  }

  private drive(claimed: ClaimedRun, leaseGoodAtMs: number): void {
    const { lease } = claimed;
    const key = keyOf(lease);
    const { tenantId: tenant, runId: run, epoch } = lease;
    const log = this.log.child({ run, tenant, epoch });
    log.debug('A drive begins.');
    const driver = new RunDriver(claimed, this.parts, log, leaseGoodAtMs);
    if (this.stopping) driver.handOver();
    // What is missed before its channel is open is found by the next renewal.
    const unsubscribe = this.parts.notices.subscribe(lease.tenantId, lease.runId, ({ toSeq }) => {
      if (toSeq <= driver.knownSeq) return;
      driver.hear();
      this.renew([lease]).catch(renewedInItsTurn);
    });
    const done = driver
      .drive()
      .then(
        (end: DriveEnd) => log[end === 'lost' ? 'warn' : 'info']({ end }, 'A drive ended.'),
        (thrown: unknown) => log.error({ error: thrown }, 'A drive failed.'),
      )
      .finally(() => {
        unsubscribe();
        this.driven.delete(key);
        if (!this.stopping && this.driven.size + 1 === this.options.slots) void this.claim();
      });
    this.driven.set(key, { driver, done, unsubscribe });
  }

  private async renewAll(): Promise<void> {
    try {
      await this.renew([...this.driven.values()].map(({ driver }) => driver.lease));
      this.canRenew = true;
    } catch (thrown) {
      this.canRenew = false;
      this.log.warn({ error: messageOf(thrown) }, 'Renewing leases failed; it is tried again.');
      throw thrown;
    }
  }

  private async renew(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0 && this.canRenew) return;
    const sentAtMs = monotonicMs();
    const renewed = await this.parts.store.renew(this.parts.workerId, leases);
    for (const lease of leases) this.settle(lease, renewed.get(lease), sentAtMs);
  }

  private settle(lease: Lease, renewed: Renewed | undefined, sentAtMs: number): void {
    const driver = this.driven.get(keyOf(lease))?.driver;
    if (!driver) return;
    if (!renewed) return driver.lose();
    driver.keepAlive(sentAtMs);
    if (renewed.pendingControl !== null) driver.control(renewed.pendingControl);
    // Whoever answered has told so; this is for the notice that was lost.
    else if (renewed.lastSeq > driver.knownSeq) driver.hear();
  }

  private loseAll(): void {
    for (const { driver } of this.driven.values()) driver.lose();
  }
}

/** All leases are renewed together soon, and that says what is wrong. */
const renewedInItsTurn = (): void => undefined;

/** Run ids are unique within a tenant only. */
function keyOf({ tenantId, runId, epoch }: Lease): string {
  return `${tenantId} ${runId} ${epoch}`;
}
