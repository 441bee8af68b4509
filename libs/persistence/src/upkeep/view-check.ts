import type { RunKey } from '#libs/engine';
import { messageOf, monotonicMs, RunyardError, type RunId, type TenantId } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { LogUnreadableError, tookTooLong } from '../errors.js';
import type { ColdLogs } from '../log/cold-logs.js';
import { LogReader } from '../log/log-reader.js';
import type { RunViews } from '../views/run-views.js';
import { readStoredViews } from '../views/stored-views.js';
import { wrongPlaces } from '../views/wrong-places.js';

/** Whoever takes the next step and dies keeps the others from it for so long. */
const take: Statement = {
  name: 'take-view-check',
  text: `
UPDATE view_check SET not_before = now() + interval '10 minutes', began_at = CASE WHEN run_id = '' THEN now() ELSE began_at END
 WHERE not_before <= now() RETURNING tenant_id AS "tenantId", run_id AS "runId"`,
};

const putBack: Statement = {
  name: 'put-back-view-check',
  text: `UPDATE view_check SET tenant_id = $1, run_id = $2, not_before = now() + make_interval(secs => $3 / 1000.0)`,
};

const endTurn: Statement = {
  name: 'end-view-check',
  text: `
UPDATE view_check SET tenant_id = '', run_id = '', ended_at = now(), not_before = greatest(now(), began_at + interval '1 day')`,
};

const countMended: Statement = {
  name: 'count-mended-views',
  text: 'UPDATE view_check SET mended = mended + 1, mended_at = now()',
};

const readKeys: Statement = {
  name: 'read-runs-to-check',
  text: `
SELECT r.tenant_id AS "tenantId", r.id AS "runId",
       EXISTS (SELECT FROM cold_logs c WHERE c.tenant_id = r.tenant_id AND c.run_id = r.id) AS "isCold"
  FROM runs r WHERE (r.tenant_id, r.id) > ($1, $2) ORDER BY r.tenant_id, r.id LIMIT $3`,
};

const RUNS_AT_ONCE = 1_000;
/** How long one step may take before the next run, and how often as long the rest after it is. */
const STEP_MS = 250;
const RESTS = 19;
const SHOWN_PLACES = 20;
/** Whose log takes longer to be folded is passed over in this turn: the runs behind it have their turn, too. */
const LONGEST_MS = 60_000;

type Key = RunKey & { isCold: boolean };
type ViewCheckLog = Record<'info' | 'warn', (fields: Record<string, unknown>, sentence: string) => void>;

/**
 * Holds the read models of every run against its log, once a day, and folds anew what says otherwise. Any process takes the
 * next step when it is due, one at a time; whoever comes after a crash goes on where the last step ended. A step is followed
 * by a rest of many times its own length, so the database gives this a twentieth of one connection, and a slow one
 * less. Logs in the object store are passed over: they would all have to be fetched, and nothing changes their read models.
 */
export class ViewCheck {
  private readonly log: LogReader;
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly views: RunViews,
    cold: ColdLogs,
    private readonly report: ViewCheckLog,
    private readonly longestMs = LONGEST_MS,
  ) {
    this.log = new LogReader(database, cold);
  }

  /** The next step, if it is due and nobody in this process waits for the database. */
  async round(): Promise<void> {
    if (this.database.connections.awaited > 0) return;
    const [after] = await this.database.query<RunKey>(take);
    if (!after) return;
    const beganAtMs = monotonicMs();
    const keys = await this.database.query<Key>(readKeys, [after.tenantId, after.runId, RUNS_AT_ONCE]);
    if (keys.length === 0) return this.end();
    let last = after;
    for (const run of keys) {
      if (!(await this.check(run))) break;
      last = run;
      if (monotonicMs() - beganAtMs > STEP_MS) break;
    }
    const restMs = RESTS * (monotonicMs() - beganAtMs);
    await this.database.query(putBack, [last.tenantId, last.runId, restMs]);
  }

  /** Ends the step under way; the run that it is at is looked at again. */
  stop(): void {
    this.stopping.abort();
  }

  private async end(): Promise<void> {
    await this.database.query(endTurn);
    this.report.info({}, 'All read models were compared with their logs.');
  }

  /** Whether the run need not be looked at again in this turn. */
  private async check({ isCold, ...run }: Key): Promise<boolean> {
    if (isCold) return true;
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(this.longestMs)]);
      const places = await wrongPlaces(this.database, this.log, run, signal);
      if (places.length > 0) await this.mend(run, places);
      return true;
    } catch (thrown) {
      if (this.stopping.signal.aborted) return false;
      if (isAway(thrown)) throw thrown;
      await this.reportUnreadable(run, thrown);
      return true;
    }
  }

  private async mend(run: RunKey, places: readonly string[]): Promise<void> {
    await this.views.rebuild(run);
    await this.database.query(countMended);
    this.report.warn(
      { ...named(run), differs: places.slice(0, SHOWN_PLACES), places: places.length },
      'The read models of a run said otherwise than its log; they were folded anew.',
    );
  }

  /** A run that was removed meanwhile has no log either. */
  private async reportUnreadable(run: RunKey, thrown: unknown): Promise<void> {
    if (!tookTooLong(thrown) && !(await readStoredViews(this.database, run))) return;
    this.report.warn(
      { ...named(run), error: messageOf(thrown) },
      'The log of a run cannot be folded anew; it is passed over until the next turn.',
    );
  }
}

function isAway(thrown: unknown): boolean {
  if (thrown instanceof LogUnreadableError || tookTooLong(thrown)) return false;
  return thrown instanceof RunyardError && thrown.kind === 'unavailable';
}

function named({ runId, tenantId }: RunKey): { run: RunId; tenant: TenantId } {
  return { run: runId, tenant: tenantId };
}
