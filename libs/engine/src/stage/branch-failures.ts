import type { OutcomeStatus } from '#libs/events';
import { isJsonObject, shortenText, type Json } from '#libs/kernel';

const MAX_NAMED = 5;
const MAX_NAME_BYTES = 100;

/** The outcome of several branches that did not all fail: anything but success makes it partial. */
export function statusOfBranches(results: readonly Json[]): OutcomeStatus {
  return results.every((result) => statusOf(result) === 'succeeded') ? 'succeeded' : 'partially_succeeded';
}

/** `1 of 3 failed (lint)`, from what `parallel.results` holds; undefined where no branch failed. */
export function branchFailures(results: Json | undefined): string | undefined {
  if (!Array.isArray(results)) return undefined;
  const failed = results.filter((result) => statusOf(result) === 'failed');
  if (failed.length === 0) return undefined;
  const names = failed.slice(0, MAX_NAMED).map(nameOf).join(', ');
  const more = failed.length > MAX_NAMED ? ` and ${failed.length - MAX_NAMED} more` : '';
  return `${failed.length} of ${results.length} failed (${names}${more})`;
}

function statusOf(result: Json): Json | undefined {
  return isJsonObject(result) ? result.status : undefined;
}

/** What its item is called, else its first node. */
function nameOf(result: Json): string {
  const { item_label, id } = isJsonObject(result) ? result : {};
  const name = typeof item_label === 'string' ? item_label : typeof id === 'string' ? id : '?';
  return shortenText(name, MAX_NAME_BYTES);
}
