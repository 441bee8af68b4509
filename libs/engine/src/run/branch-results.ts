import { MAX_VALUES_BYTES, type BranchResult } from '#libs/events';
import { jsonBytes, shortenText } from '#libs/kernel';

/** What a result takes beside its names. */
const REST_BYTES = 80;

/** The results of a fork as one event can say them: where there are very many, by the beginnings of their names. */
export function resultsInBrief(results: readonly BranchResult[]): BranchResult[] {
  if (jsonBytes(results) <= MAX_VALUES_BYTES) return [...results];
  const room = Math.max(0, Math.floor(MAX_VALUES_BYTES / results.length) - REST_BYTES);
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
