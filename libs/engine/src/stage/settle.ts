import type { Outcome } from './outcome.js';

/** A node's wishes about outcomes that are not plain successes. */
export interface Leniency {
  allowPartial: boolean;
  autoStatus: boolean;
}

/**
 * The outcome that is recorded once no attempt is left: a failure that asked for a retry becomes a partial success
 * where the node allows it, then `auto_status` turns whatever is neither success nor skip into a success.
 */
export function settle(outcome: Outcome, retryWanted: boolean, node: Leniency): Outcome {
  const partial = outcome.status === 'failed' && retryWanted && node.allowPartial;
  const settled: Outcome = partial ? { ...outcome, status: 'partially_succeeded' } : outcome;
  if (!node.autoStatus || settled.status === 'succeeded' || settled.status === 'skipped') return settled;
  const { failure: _, ...rest } = settled;
  return { ...rest, status: 'succeeded', notes: 'auto-status: handler completed without writing status' };
}
