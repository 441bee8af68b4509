import type { Lease } from '#libs/engine';
import { RunyardError } from '#libs/kernel';

/** A run that a worker still holds, and its stages that are being executed. */
interface StuckRun {
  lease: Lease;
  executing: readonly string[];
}

/** A worker was asked to end and does not, because something does not let it. Its runs go on elsewhere. */
export class WorkerStuckError extends RunyardError {
  override readonly code = 'worker_stuck';
  readonly kind = 'unavailable';

  constructor(afterMs: number, held: readonly StuckRun[]) {
    const runs = held.map(({ lease, executing }) => {
      const where = executing.length === 0 ? 'between two stages' : `at ${executing.join(', ')}`;
      return `run ${lease.runId} of tenant ${lease.tenantId} (${where})`;
    });
    const why = runs.length === 0 ? 'what rings for runs does not close' : `it is held by ${runs.join('; ')}`;
    super(`The worker did not end within ${Math.round(afterMs / 1_000)} s: ${why}.`);
  }
}
