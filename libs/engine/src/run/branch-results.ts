import type { BranchResult } from '#libs/events';
import { jsonBytes, shortenText } from '#libs/kernel';

/** All results, which are nearly all of their event. */
const MAX_RESULTS_BYTES = 200 * 1024;
/** What a result takes beside its names. */
const REST_BYTES = 80;

/** The results of a fork as one event can say them: where there are very many, by the beginnings of their names. */
export function resultsInBrief(results: readonly BranchResult[]): BranchResult[] {
  if (jsonBytes(results) <= MAX_RESULTS_BYTES) return [...results];
  const room = Math.max(0, Math.floor(MAX_RESULTS_BYTES / results.length) - REST_BYTES);
  return results.map(({ item_label, ...result }) => {
    const id = shortenText(result.id, room);
    const left = room - jsonBytes(id);
    return {
      ...result,
      id,
      ...(item_label !== undefined && left > 8 && { item_label: shortenText(item_label, left) }),
    };
  });
}
