import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from './stores.js';

const LOOK_EVERY_MS = 1_000;
/** Between two looks; more than this and nobody could see, or move, anything. */
const MAX_GAP_MS = 5_000;

/** Of a run that holds a slot, or is about to: how long ago it last said more than that it was claimed. */
const SILENT = `
SELECT h.run_id AS "runId", h.status, h.slot,
       extract(epoch FROM clock_timestamp() - (
         SELECT max(stored_at) FROM run_events e
          WHERE e.tenant_id = h.tenant_id AND e.run_id = h.run_id AND e.event NOT IN ('run.claimed', 'run.parked'))) * 1000
         AS "silentMs"
  FROM run_heads h WHERE h.slot = 'held' OR h.status = 'starting'`;

interface Silent {
  runId: string;
  status: string;
  slot: string;
  silentMs: number;
}

/**
 * Watches a site while it is hurt for runs that hold a slot, or are about to start, and get nowhere. Time in which the
 * database did not answer counts for nobody.
 */
export class Standstills {
  private readonly found = new Map<string, Silent>();
  private readonly closing = new AbortController();
  private readonly watching: Promise<void>;
  private sinceMs = performance.now();

  constructor(
    private readonly stores: Pick<Stores, 'sql'>,
    private readonly boundMs: number,
  ) {
    this.watching = this.watch();
  }

  /** Ends the watch. Returns a fault for every run that stood still for too long. */
  async close(): Promise<string[]> {
    this.closing.abort();
    await this.watching;
    return [...this.found.values()].map(
      ({ runId, status, slot, silentMs }) =>
        `${runId}: ${status}, slot ${slot}, it stood still for ${Math.round(silentMs)} ms`,
    );
  }

  private async watch(): Promise<void> {
    let lookedAtMs = performance.now();
    while (!this.closing.signal.aborted) {
      const silent = await this.stores.sql<Silent>(SILENT).catch(() => undefined);
      const nowMs = performance.now();
      if (!silent || nowMs - lookedAtMs > MAX_GAP_MS) this.sinceMs = nowMs;
      lookedAtMs = nowMs;
      for (const one of silent ?? []) this.note({ ...one, silentMs: Math.min(one.silentMs, nowMs - this.sinceMs) });
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }

  private note(one: Silent): void {
    if (one.silentMs <= this.boundMs || one.silentMs < (this.found.get(one.runId)?.silentMs ?? 0)) return;
    this.found.set(one.runId, one);
  }
}
