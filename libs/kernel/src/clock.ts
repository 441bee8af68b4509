/**
 * The time of day as this process believes it. It stamps events and measures durations; it never decides an order or
 * a lease, which belong to the database's clock.
 */
export abstract class Clock {
  /** Milliseconds since the epoch. Runs backwards only when it is found to be wrong by more than a second. */
  abstract now(): number;
}

/** Where a {@link SystemClock} takes the time from, in milliseconds. */
export interface TimeSources {
  /** The time of day: somebody may set it. */
  wall(): number;
  /** Grows evenly, whatever is set; on some systems it stands still while the machine sleeps. */
  monotonic(): number;
}

const systemTime: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now() };

/** More than two good clocks of one machine part in the time between two looks. */
const JUMP_MS = 500;
/** A clock that is ahead by no more than this stands still until it is right. */
const STEP_MS = 1_000;
/** How much less is known each millisecond: as much as bad quartz and a slewed clock part. */
const DRIFT = 0.0005;

/** Monotonic time laid over the wall clock of the process's start, plus an offset that follows another clock. */
export class SystemClock extends Clock {
  private base: number;
  private offsetMs = 0;
  /** How far off it may have been when it last followed. */
  private errorMs = Infinity;
  private followedAtMs = 0;
  private latest = -Infinity;

  constructor(private readonly time: TimeSources = systemTime) {
    super();
    this.base = time.wall() - time.monotonic();
    this.offsetMs = this.base;
  }

  now(): number {
    const now = this.reading();
    if (now < this.latest && this.latest - now <= STEP_MS) return this.latest;
    return (this.latest = now);
  }

  /**
   * Follows another clock (the database's), given what it showed at some time within the last `roundTripMs`. A sample that
   * took long and agrees with what is known better changes nothing; one that cannot agree shows that a clock was set.
   */
  follow(otherNow: number, roundTripMs = 0): void {
    const error = roundTripMs / 2;
    const monotonic = this.time.monotonic();
    const difference = otherNow + error - (monotonic + this.offsetMs);
    const known = this.errorMs + (monotonic - this.followedAtMs) * DRIFT;
    if (Math.abs(difference) <= error && known < error) return;
    this.offsetMs += difference;
    this.errorMs = error;
    this.followedAtMs = monotonic;
  }

  /**
   * Whether wall clock and monotonic clock have parted since this was asked last: the machine slept, or somebody set its
   * clock. Which of them is right only another clock can say.
   */
  hasJumped(): boolean {
    const base = this.time.wall() - this.time.monotonic();
    const jumped = Math.abs(base - this.base) > JUMP_MS;
    this.base = base;
    return jumped;
  }

  private reading(): number {
    return Math.round(this.time.monotonic() + this.offsetMs);
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
