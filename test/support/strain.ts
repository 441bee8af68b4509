import { performance } from 'node:perf_hooks';

const LOOK_MS = 10;

/**
 * What something costs the process that it runs in. Time in which the machine was busy with other processes does not
 * count as held: only a turn of the event loop that computes all the while is one.
 */
export class Strain {
  private readonly restingRss = process.memoryUsage.rss();
  private peakRss = this.restingRss;
  private longestMs = 0;
  private lastAt = performance.now();
  private lastCpuUs = cpuUs();
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  /** How often the memory of the process at rest it takes, at its peak. */
  get memoryFactor(): number {
    return this.peakRss / this.restingRss;
  }

  /** How long the event loop was held at most. */
  get heldMs(): number {
    return this.longestMs;
  }

  end(): this {
    this.look();
    clearInterval(this.timer);
    return this;
  }

  private look(): void {
    const [now, cpu] = [performance.now(), cpuUs()];
    const heldMs = Math.min(now - this.lastAt - LOOK_MS, (cpu - this.lastCpuUs) / 1_000);
    this.longestMs = Math.max(this.longestMs, heldMs);
    this.peakRss = Math.max(this.peakRss, process.memoryUsage.rss());
    [this.lastAt, this.lastCpuUs] = [now, cpu];
  }
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
