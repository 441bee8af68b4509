import type { RunKey } from '#libs/engine';
import { monotonicMs } from '#libs/kernel';
import { keyOf } from '../log/locked-heads.js';

const FIRST_REST_MS = 10 * 60_000;
const LONGEST_REST_MS = 24 * 3_600_000;
/** More than these are forgotten from the oldest on, and so tried again sooner. */
const MOST = 10_000;

/** Runs with which a chore failed: each is left alone for a while, twice as long after each failure, while the others go on. */
export class SetAside {
  private readonly runs = new Map<string, { untilMs: number; restMs: number }>();

  constructor(private readonly nowMs: () => number = monotonicMs) {}

  has(run: RunKey): boolean {
    return this.nowMs() < (this.runs.get(keyOf(run))?.untilMs ?? 0);
  }

  add(run: RunKey): void {
    const key = keyOf(run);
    const before = this.runs.get(key);
    const restMs = before ? Math.min(2 * before.restMs, LONGEST_REST_MS) : FIRST_REST_MS;
    this.runs.delete(key);
    this.runs.set(key, { untilMs: this.nowMs() + restMs, restMs });
    const [oldest] = this.runs.keys();
    if (this.runs.size > MOST) this.runs.delete(oldest!);
  }

  remove(run: RunKey): void {
    this.runs.delete(keyOf(run));
  }
}
