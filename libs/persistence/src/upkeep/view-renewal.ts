import type { RunKey } from '#libs/engine';
import { VIEW_VERSION } from '#libs/events';
import { messageOf, monotonicMs } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import type { RunViews } from '../views/run-views.js';

// Views that another process is folding are left to it. So are those of logs in the object store, which would all have to
// be fetched: they are folded by whoever reads them.
const findOutdated: Statement = {
  name: 'find-outdated-views',
  text: `
SELECT v.tenant_id AS "tenantId", v.run_id AS "runId", v.version,
       EXISTS (SELECT FROM cold_logs c WHERE c.tenant_id = v.tenant_id AND c.run_id = v.run_id) AS "isCold"
  FROM run_views v
 WHERE v.version < ${VIEW_VERSION} AND (v.version, v.tenant_id, v.run_id) > ($1, $2, $3)
 ORDER BY v.version, v.tenant_id, v.run_id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`,
};

const AT_ONCE = 100;
const ROUND_MS = 10_000;
const PASS_EVERY_MS = 3_600_000;

type Outdated = RunKey & { version: number; isCold: boolean };
type RenewalLog = Record<'warn', (fields: Record<string, unknown>, sentence: string) => void>;

const BEGINNING = { version: -1, tenantId: '', runId: '' };

/**
 * Folds every view anew that an older version stored; one that a newer version stored is left to its next reader, so
 * that two versions side by side do not undo each other's work. Some seconds a round, each going on where the last one
 * ended; once all are done, one look an hour. Several processes share the work.
 */
export class ViewRenewal {
  private last: { version: number; tenantId: string; runId: string } = BEGINNING;
  private nextPassMs = 0;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly views: RunViews,
    private readonly report: RenewalLog,
  ) {}

  async round(): Promise<void> {
    if (monotonicMs() < this.nextPassMs) return;
    for (const endsMs = monotonicMs() + ROUND_MS; !this.stopped && monotonicMs() < endsMs;) {
      const { version, tenantId, runId } = this.last;
      const found = await this.database.queryAgain<Outdated>(findOutdated, [version, tenantId, runId, AT_ONCE]);
      await this.fold(found.filter(({ isCold }) => !isCold));
      this.last = found.at(-1) ?? BEGINNING;
      if (found.length > 0) continue;
      this.nextPassMs = monotonicMs() + PASS_EVERY_MS;
      return;
    }
  }

  /** Ends the round under way after the views that it is folding. */
  stop(): void {
    this.stopped = true;
  }

  /** One that cannot be folded keeps none of the others from it. */
  private async fold(runs: readonly RunKey[]): Promise<void> {
    try {
      await this.views.catchUp(runs);
    } catch {
      for (const run of runs) if (!this.stopped) await this.foldAlone(run);
    }
  }

  private async foldAlone(run: RunKey): Promise<void> {
    try {
      await this.views.catchUp([run]);
    } catch (thrown) {
      this.report.warn(
        { run: run.runId, tenant: run.tenantId, error: messageOf(thrown) },
        'The read models of a run cannot be folded anew; whoever reads it tries again.',
      );
    }
  }
}
