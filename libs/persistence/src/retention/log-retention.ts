import type { ObjectStore } from '#libs/engine';
import { messageOf, RunyardError } from '#libs/kernel';
import type { Database } from '../database.js';
import { LogUnreadableError } from '../errors.js';
import type { RunViews } from '../views/run-views.js';
import type { ColdLogs } from './cold-logs.js';
import { moveLog } from './move-log.js';
import { oldRuns, type OldRun } from './old-runs.js';

export interface RetentionOptions {
  /** How long a run must have been over. */
  days: number;
  log: Record<'info' | 'warn', (fields: Record<string, unknown>, sentence: string) => void>;
}

/** Logs that one round moves; the next one goes on. */
const MAX_MOVED = 1_000;

/** Moves logs of runs that have been over for some days into the object store, in any process, any number of times. */
export class LogRetention {
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly views: RunViews,
    private readonly objects: ObjectStore,
    private readonly cold: ColdLogs,
    private readonly options: RetentionOptions,
  ) {}

  /**
   * Moves what is due, one log after the other. A log that cannot be moved keeps none of the others from it; a database
   * or a store that is away ends the round, which rejects.
   */
  async round(): Promise<void> {
    let moved = 0;
    for await (const run of oldRuns(this.database, this.options.days)) {
      if (this.stopped || moved === MAX_MOVED) break;
      if (await this.move(run)) moved++;
    }
    if (moved > 0) this.options.log.info({ moved }, 'Logs of old runs were moved to the object store.');
  }

  /** Ends the round under way after the log that it is moving. */
  stop(): void {
    this.stopped = true;
  }

  private async move(run: OldRun): Promise<boolean> {
    try {
      await this.views.catchUp([run]);
      return (await moveLog(this.database, this.objects, this.cold, run)) === 'moved';
    } catch (thrown) {
      const isAway = thrown instanceof RunyardError && thrown.kind === 'unavailable';
      if (isAway && !(thrown instanceof LogUnreadableError)) throw thrown;
      this.options.log.warn(
        { run: run.runId, tenant: run.tenantId, error: messageOf(thrown) },
        'The log of a run cannot be moved; it stays.',
      );
      return false;
    }
  }
}
