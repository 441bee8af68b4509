import type { RunId, TenantId } from '#libs/kernel';

/** A hint that a run may be claimed. It carries ids, never state. */
export interface RunHint {
  tenantId: TenantId;
  runId: RunId;
  /** The lease epoch that the next claim will end; makes the hint of each promotion a job of its own. */
  epoch: number;
}

/**
 * Rings when a run waits for a worker. It only shortens the wait: a hint may be lost, repeated, late or foreign, and
 * workers with a free slot look by themselves every few seconds.
 */
export abstract class RunBell {
  /** Sends hints. Rejects quickly (within about a second) when the queue cannot take them. */
  abstract ring(hints: readonly RunHint[]): Promise<void>;

  /**
   * Hears hints, at most `concurrency` at a time, until the returned function is called; that function waits for the
   * handlers under way. A handler that rejects is logged and its hint is dropped.
   */
  abstract listen(concurrency: number, handler: (hint: RunHint) => Promise<void>): Promise<() => Promise<void>>;

  /** Resolves true when a hint sent now comes round through the queue within `timeoutMs`: what readiness means. */
  abstract roundTrip(timeoutMs: number): Promise<boolean>;

  /**
   * Milliseconds since this process last heard anything from the queue, a hint or the probe of a round trip: Infinity
   * before the first, null while nobody here listens.
   */
  abstract heardAgoMs(): number | null;

  abstract close(): Promise<void>;
}
