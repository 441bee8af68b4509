import type { WalkContext } from './walk-context.js';
import { errored, succeeded, type AttemptResult } from '../stage/outcome.js';

/** What a fan-in reports before any model is asked: how many branches it joins, or that there are none. */
export function joined(walk: WalkContext): AttemptResult {
  const results = walk.lookup('parallel.results');
  if (results === undefined) {
    return errored({ message: 'No parallel results to join', category: 'deterministic' }, true);
  }
  if (!Array.isArray(results)) {
    return errored({ message: 'Invalid parallel results', category: 'deterministic' }, false);
  }
  return succeeded({ notes: `Joined ${results.length} parallel ${results.length === 1 ? 'branch' : 'branches'}` });
}
