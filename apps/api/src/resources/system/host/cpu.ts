import os from 'node:os';
import { monotonicMs } from '#libs/kernel';
import { type SystemCpuResources } from '../dto/system-resources.js';

interface Sample {
  atMs: number;
  busy: number;
  total: number;
}

/** Two samples closer than this say more about the clock than about the machine. */
const MIN_WINDOW_MS = 500;

/** How busy the processors are between two readings; the first one has nothing to compare with. */
export class CpuMeter {
  private last: Sample | undefined;
  private usage: { percent: number; windowMs: number } | undefined;

  constructor(private readonly sample: () => Sample = takeSample) {}

  read(): SystemCpuResources {
    const now = this.sample();
    const windowMs = this.last ? now.atMs - this.last.atMs : Infinity;
    if (windowMs >= MIN_WINDOW_MS) {
      if (this.last) this.usage = { percent: percentBetween(this.last, now), windowMs };
      this.last = now;
    }
    return {
      supported: true,
      unavailable_reason: null,
      scope: 'server_environment',
      logical_cpus: os.availableParallelism(),
      usage_percent: this.usage?.percent ?? null,
      sample_window_ms: this.usage === undefined ? null : Math.round(this.usage.windowMs),
    };
  }
}

function takeSample(): Sample {
  const times = os.cpus().map((cpu) => cpu.times);
  const total = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  const idle = times.reduce((sum, cpu) => sum + cpu.idle, 0);
  return { atMs: monotonicMs(), busy: total - idle, total };
}

function percentBetween(before: Sample, after: Sample): number {
  const passed = after.total - before.total;
  return passed === 0 ? 0 : Math.round(((after.busy - before.busy) / passed) * 1_000) / 10;
}
