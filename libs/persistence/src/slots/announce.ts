import type { CommitSignals, GrownLog } from '../log/commit-signals.js';
import type { Promoted } from './promote.js';

/** Tells what a transaction committed: the logs that grew, the runs that may be claimed. */
export function announce(signals: CommitSignals, grown: readonly GrownLog[], promoted: readonly Promoted[]): void {
  for (const log of grown) signals.appended(log);
  for (const { tenantId, runId, toSeq, bodies } of promoted) signals.appended({ tenantId, runId, toSeq, bodies });
  if (promoted.length > 0) signals.promoted(promoted);
}
