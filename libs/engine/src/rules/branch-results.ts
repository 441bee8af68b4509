import type { BranchResult } from '#libs/events';
import { jsonBytes, shortenText } from '#libs/kernel';

/** All results, which are nearly all of their event. */
const MAX_RESULTS_BYTES = 200 * 1024;
/** What a result takes beside its names. */
const REST_BYTES = 80;

/**
 * The results of a fork as one event can say them: where they take too much, one that takes more than its share is said
 * without what its branch wrote and by the beginnings of its names.
 */
export function resultsInBrief(results: readonly BranchResult[]): BranchResult[] {
  const bytes = results.map(jsonBytes);
  if (bytes.reduce((sum, each) => sum + each, 0) <= MAX_RESULTS_BYTES) return [...results];
  const room = Math.floor(MAX_RESULTS_BYTES / results.length);
  return results.map((result, i) =>
    bytes[i]! <= room ? result : withNamesOnly(result, Math.max(0, room - REST_BYTES)),
  );
}

function withNamesOnly({ id: whole, index, item_label, status }: BranchResult, room: number): BranchResult {
  const id = shortenText(whole, room);
  const left = room - jsonBytes(id);
  return {
    id,
    index,
    ...(item_label !== undefined && left > 8 && { item_label: shortenText(item_label, left) }),
    status,
  };
}
