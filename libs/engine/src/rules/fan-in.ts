import type { WalkContext } from './walk-context.js';
import { branchFailures, statusOfBranches } from '../stage/branch-failures.js';
import { errored, type AttemptResult } from '../stage/outcome.js';

/**
 * What a fan-in reports before any model is asked: how many branches it joins, and how they ended, so that its edges can
 * ask for that; or that there are none.
 */
export function joined(walk: WalkContext): AttemptResult {
  const results = walk.lookup('parallel.results');
  if (results === undefined) {
    return errored({ message: 'No parallel results to join', category: 'deterministic' }, true);
  }
  if (!Array.isArray(results)) {
    return errored({ message: 'Invalid parallel results', category: 'deterministic' }, false);
  }
  const failures = branchFailures(results);
  const count = `Joined ${results.length} parallel ${results.length === 1 ? 'branch' : 'branches'}`;
  const notes = failures === undefined ? count : `${count}: ${failures}`;
  return { kind: 'outcome', outcome: { status: statusOfBranches(results), notes } };
}
