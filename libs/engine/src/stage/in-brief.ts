import { MAX_NAME_BYTES, MAX_PHRASE_BYTES, type FailureDetail } from '#libs/events';
import { fitsJson, jsonBytes, shortenText } from '#libs/kernel';
import type { AttemptResult, Outcome } from './outcome.js';

const MAX_CAUSES = 20;
const CAUSE_BYTES = 512;

/**
 * A result as events can say it, whatever a model, a command or a hook wrote: words are shortened, names that are longer
 * than any node's are left out. Its context values are as they were: a worker keeps the large ones elsewhere.
 */
export function resultInBrief(result: AttemptResult): AttemptResult {
  if (result.kind === 'error') return { ...result, failure: failureInBrief(result.failure) };
  return { ...result, outcome: outcomeInBrief(result.outcome) };
}

/** A failure as events can say it. */
export function failureInBrief({ message, causes, ...rest }: FailureDetail): FailureDetail {
  return {
    ...rest,
    message: shortenText(message, MAX_PHRASE_BYTES),
    ...(causes && { causes: causes.slice(0, MAX_CAUSES).map((cause) => shortenText(cause, CAUSE_BYTES)) }),
  };
}

function outcomeInBrief(outcome: Outcome): Outcome {
  const { preferredLabel, suggestedNextIds, notes, failure, filesTouched } = outcome;
  return {
    ...outcome,
    ...(preferredLabel !== undefined && { preferredLabel: shortenText(preferredLabel, MAX_PHRASE_BYTES) }),
    ...(suggestedNextIds && { suggestedNextIds: firstNames(suggestedNextIds, MAX_NAME_BYTES) }),
    ...(notes !== undefined && { notes: shortenText(notes, MAX_PHRASE_BYTES) }),
    ...(failure && { failure: failureInBrief(failure) }),
    ...(filesTouched && { filesTouched: firstNames(filesTouched, MAX_PHRASE_BYTES) }),
  };
}

/** As many of the names as may be said together, in their order. */
function firstNames(names: readonly string[], maxBytes: number): string[] {
  let left = MAX_PHRASE_BYTES;
  return names.filter((name) => fitsJson(name, maxBytes) && (left -= jsonBytes(name)) >= 0);
}
