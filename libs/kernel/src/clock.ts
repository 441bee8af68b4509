/**
 * The time of day as this process believes it. It stamps events and measures durations; it never decides an order or
 * a lease, which belong to the database's clock.
 */
export abstract class Clock {
  /** Milliseconds since the epoch. Never runs backwards within one process. */
  abstract now(): number;
}

/** Monotonic time laid over the wall clock of the process's start, plus an offset that a caller may keep up to date. */
export class SystemClock extends Clock {
  private readonly base = Date.now() - performance.now();
  private offsetMs = 0;

  now(): number {
    return Math.round(this.base + performance.now() + this.offsetMs);
  }

  /** Follows another clock (the database's), given what it showed at this moment. */
  follow(otherNow: number): void {
    this.offsetMs += otherNow - this.now();
  }
}

/** The system's monotonic clock in milliseconds: the same for all processes of one host, whatever the wall clock does. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** A clock that stands still until it is moved. */
export class FixedClock extends Clock {
  constructor(private instant: number) {
    super();
  }

  now(): number {
    return this.instant;
  }

  advance(ms: number): void {
    this.instant += ms;
  }
}
