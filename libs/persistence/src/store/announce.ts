import type { CommitSignals } from './commit-signals.js';
import { keyOf, type LockedWrite } from './locked-heads.js';
import type { Promotion } from './promote.js';

/** Tells what a transaction committed: the logs that grew, the runs that may be claimed. */
export function announce(signals: CommitSignals, writes: readonly LockedWrite[], promotion: Promotion): void {
  for (const { head, events } of writes) {
    if (events.length > 0)
      signals.appended({ tenantId: head.tenantId, runId: head.runId, toSeq: head.nextSeq + events.length - 1 });
  }
  for (const hint of promotion.hints) {
    const toSeq = promotion.toSeq.get(keyOf(hint));
    if (toSeq !== undefined) signals.appended({ tenantId: hint.tenantId, runId: hint.runId, toSeq });
  }
  if (promotion.hints.length > 0) signals.promoted(promotion.hints, promotion.outboxIds);
}
