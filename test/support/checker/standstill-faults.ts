import type { CheckedHead, LoggedEvent } from './logged-event.js';

/** What a claim writes by itself, however often the run is claimed. */
const IDLE: ReadonlySet<string> = new Set(['run.claimed', 'run.parked']);

/** A run that holds a slot or is about to start, and of which nothing was heard for longer than it may be silent. */
export function* standstillFaults(
  { slot, status }: Pick<CheckedHead, 'slot' | 'status'>,
  log: readonly LoggedEvent[],
  { nowMs, boundMs }: { nowMs: number; boundMs: number },
): Generator<string> {
  if (slot !== 'held' && status !== 'starting') return;
  const last = log.findLast(({ event }) => !IDLE.has(event));
  const silentMs = Math.round(nowMs - (last?.storedAtMs ?? nowMs));
  if (silentMs > boundMs) yield `it is ${status}, slot ${slot}, and nothing was heard of it for ${silentMs} ms`;
}
