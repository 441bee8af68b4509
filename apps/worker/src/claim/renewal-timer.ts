import { monotonicMs } from '#libs/kernel';

const EVERY_MS = 3_000;
const AGAIN_MS = 500;
/** Without a good renewal for this long, effects stop: another worker may own the runs 3 s later. */
const TRUSTED_MS = 7_000;

/**
 * Renews in turns, sooner again after one that failed, and tells when the last good one is too long ago to be trusted,
 * whether renewals fail, stay without an answer, or could not be sent because the process stood still.
 */
export class RenewalTimer {
  private next: NodeJS.Timeout | undefined;
  private fence: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    /** Says itself why it failed. */
    private readonly renew: () => Promise<void>,
    private readonly distrust: () => void,
  ) {}

  start(): void {
    this.trustFrom(monotonicMs());
    this.rest(EVERY_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.next);
    clearTimeout(this.fence);
  }

  private async round(): Promise<void> {
    const sentAtMs = monotonicMs();
    try {
      await this.renew();
      this.trustFrom(sentAtMs);
      this.rest(EVERY_MS);
    } catch {
      this.rest(AGAIN_MS);
    }
  }

  private trustFrom(goodAtMs: number): void {
    if (this.stopped) return;
    clearTimeout(this.fence);
    this.fence = setTimeout(this.distrust, goodAtMs + TRUSTED_MS - monotonicMs());
  }

  private rest(ms: number): void {
    if (this.stopped) return;
    this.next = setTimeout(() => void this.round(), ms);
  }
}
