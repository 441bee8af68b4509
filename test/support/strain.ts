import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const LOOK_MS = 10;
const TICK_MS = 10;

/**
 * What something costs the process that it runs in. Time in which the machine was busy with other processes does not
 * count as held: only a turn of the event loop that computes all the while is one. Nor do other
 * threads: collectors of garbage, compression.
 */
export class Strain {
  private readonly restingRss = process.memoryUsage.rss();
  private peakRss = this.restingRss;
  private longestMs = 0;
  private lastAt = performance.now();
  private lastCpuMs = computedMs();
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  /** How often the memory of the process at rest it takes, at its peak. */
  get memoryFactor(): number {
    return this.peakRss / this.restingRss;
  }

  /** How long the event loop was held at most. */
  get heldMs(): number {
    this.look();
    return this.longestMs;
  }

  end(): this {
    this.look();
    clearInterval(this.timer);
    return this;
  }

  private look(): void {
    const [now, cpu] = [performance.now(), computedMs()];
    const heldMs = Math.min(now - this.lastAt - LOOK_MS, cpu - this.lastCpuMs);
    this.longestMs = Math.max(this.longestMs, heldMs);
    this.peakRss = Math.max(this.peakRss, process.memoryUsage.rss());
    [this.lastAt, this.lastCpuMs] = [now, cpu];
  }
}

/** Time that the first thread computed; elsewhere than on Linux that of all of them. */
function computedMs(): number {
  if (process.platform !== 'linux') return (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}
