import type { SystemClock } from '#libs/kernel';
import type { Database, Statement } from '../database.js';

/** SQL: the database's time in milliseconds, at the moment of asking. */
export const DATABASE_NOW = 'extract(epoch FROM clock_timestamp())::float8 * 1000';

const askTime: Statement = { name: 'ask-time', text: `SELECT ${DATABASE_NOW} AS now` };

const LOOK_EVERY_MS = 250;

/**
 * Keeps the clock of a process on the database's time. Workers hear it with every claim and renewal; this asks, where
 * nothing else does, and at once when the machine slept or somebody set its clock: until then deadlines would be wrong.
 */
export class ClockFollower {
  private timer: NodeJS.Timeout | undefined;
  private isDue = false;
  private asking = false;
  private jumpedAtMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly clock: SystemClock,
  ) {}

  /** Asks now. Rejects when the database is away. */
  async ask(): Promise<void> {
    const sentAtMs = performance.now();
    const [row] = await this.database.query<{ now: number }>(askTime);
    this.clock.follow(row!.now, performance.now() - sentAtMs);
  }

  start(): void {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Whether the machine slept, or its clock was set, a moment ago: others here have not done yet what was due meanwhile. */
  jumpedWithin(ms: number): boolean {
    this.notice();
    return performance.now() - this.jumpedAtMs < ms;
  }

  private notice(): void {
    if (!this.clock.hasJumped()) return;
    this.isDue = true;
    this.jumpedAtMs = performance.now();
  }

  /** What could not be asked is asked at the next look. */
  private async look(): Promise<void> {
    this.notice();
    if (!this.isDue || this.asking) return;
    this.asking = true;
    this.isDue = await this.ask().then(
      () => false,
      () => true,
    );
    this.asking = false;
  }
}
