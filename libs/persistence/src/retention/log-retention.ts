import type { ObjectStore, RunKey } from '#libs/engine';
import { messageOf, monotonicMs, RunyardError, type TenantId } from '#libs/kernel';
import type { Database } from '../database.js';
import { LogUnreadableError, tookTooLong } from '../errors.js';
import { SetAside } from './set-aside.js';
import type { RunViews } from '../views/run-views.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { moveLog } from './move-log.js';
import { oldRuns, type OldRun } from './old-runs.js';

export interface RetentionOptions {
  /** How long a run must have been over. */
  days: number;
  /** Events of a long log that move at once; see {@link moveLog}. */
  stretch?: number;
  log: Record<'info' | 'warn', (fields: Record<string, unknown>, sentence: string) => void>;
}

/** Logs that one round moves, and how long it takes about; the next one goes on. */
const MAX_MOVED = 1_000;
const ROUND_MS = 20_000;

/** Moves logs of runs that have been over for some days into the object store, in any process, any number of times. */
export class LogRetention {
  private stopped = false;
  /** Where the last round ended; null at the beginning of all runs. */
  private after: RunKey | null = null;
  private readonly aside = new SetAside();

  constructor(
    private readonly database: Database,
    private readonly views: RunViews,
    private readonly objects: ObjectStore,
    private readonly cold: ColdLogs,
    private readonly options: RetentionOptions,
  ) {}

  /**
   * Moves what is due, one log after the other, from where the last round ended. A log that cannot be moved keeps none of
   * the others from it and is tried again later, ever less often; a database or a store that is away ends the round, which
   * rejects.
   */
  async round(): Promise<void> {
    const endsMs = monotonicMs() + ROUND_MS;
    let moved = 0;
    let isEnd = true;
    for await (const { at, old } of oldRuns(this.database, this.options.days, this.after, this.skipped)) {
      isEnd = false;
      if (this.stopped || moved === MAX_MOVED || monotonicMs() > endsMs) break;
      if (old && !this.aside.has(at) && (await this.move(old))) moved++;
      this.after = at;
      isEnd = true;
    }
    if (isEnd) this.after = null;
    if (moved > 0) this.options.log.info({ moved }, 'Logs of old runs were moved to the object store.');
  }

  /** Ends the round under way after the log that it is moving. */
  stop(): void {
    this.stopped = true;
  }

  private readonly skipped = (tenant: TenantId, thrown: unknown): void => {
    this.options.log.warn({ tenant, error: messageOf(thrown) }, 'The old runs of a tenant cannot be read in time.');
  };

  private async move(run: OldRun): Promise<boolean> {
    try {
      await this.views.catchUp([run]);
      const isMoved = (await moveLog(this.database, this.objects, this.cold, run, this.options.stretch)) === 'moved';
      this.aside.remove(run);
      return isMoved;
    } catch (thrown) {
      const isAway = thrown instanceof RunyardError && thrown.kind === 'unavailable';
      if (isAway && !(thrown instanceof LogUnreadableError) && !tookTooLong(thrown)) throw thrown;
      this.aside.add(run);
      this.options.log.warn(
        { run: run.runId, tenant: run.tenantId, error: messageOf(thrown) },
        'The log of a run cannot be moved; it stays and is tried again later.',
      );
      return false;
    }
  }
}
