import type { FailureDetail, KeptMark } from '#libs/events';
import { cleanText, isDeeperThan, isJsonObject, MAX_JSON_VALUES, saysTooManyValues, type Json } from '#libs/kernel';
import type { ParallelNode } from '#libs/language';
import type { ContextEntry } from '../state/context.js';
import type { BranchItem, WalkContext } from './walk-context.js';

const MAX_ITEMS = 1_000;
const MAX_LABEL = 200;
/** As deep as values are stored. */
const MAX_LEVELS = 64;

/** What a dry run goes through once where its data does not exist. */
const DRY_RUN_ITEMS: readonly Json[] = [{ name: 'dry-run item' }];

/**
 * The items of a `for_each` node, read once a stage: the source stands still while its branches are walked. Undefined
 * when the node has no source; a failure when the source is not a list of at most a thousand.
 */
export function branchItemsOf(
  walk: WalkContext,
  stageId: string,
  { forEach }: ParallelNode,
): BranchItem[] | { failure: FailureDetail } | undefined {
  if (forEach === undefined) return undefined;
  let items = walk.items.get(stageId);
  if (!items) {
    const found = read(walk, forEach);
    if ('failure' in found) return found;
    const { list, mark } = found;
    items = list.map((value, index) => itemOf(value, index, typeof mark === 'object' ? mark[index] : undefined));
    walk.items.set(stageId, items);
  }
  return items;
}

interface FoundList {
  list: readonly Json[];
  mark?: KeptMark;
}

function read(walk: WalkContext, source: string): FoundList | { failure: FailureDetail } {
  const { value, mark } = found(walk, source);
  if (typeof value === 'string' && saysTooManyValues(value)) {
    return objection(`for_each source '${source}' consists of more than ${MAX_JSON_VALUES} values`);
  }
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list)) {
    if (walk.definition.dryRun) return { list: DRY_RUN_ITEMS };
    return value === undefined
      ? objection(`for_each source '${source}' was not found in workflow context`)
      : objection(`for_each source '${source}' must resolve to a JSON array`);
  }
  if (isDeeperThan(MAX_LEVELS, list)) {
    return objection(`for_each source '${source}' is nested deeper than ${MAX_LEVELS} levels`);
  }
  if (list.length <= MAX_ITEMS) return { list, ...(mark !== undefined && { mark }) };
  return objection(`for_each source '${source}' has ${list.length} items; at most ${MAX_ITEMS} are allowed`);
}

function found(walk: WalkContext, source: string): Partial<ContextEntry> {
  if (source.trimStart().startsWith('[')) return { value: source };
  return walk.entry(source) ?? walk.entry(source.replace(/^context\./, '')) ?? {};
}

function itemOf(value: Json, index: number, mark: KeptMark | undefined): BranchItem {
  return { value, ...(mark !== undefined && { mark }), label: labelOf(value, index), index };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function objection(message: string): { failure: FailureDetail } {
  return { failure: { message, category: 'deterministic' } };
}

/** What people call an item: its name, else its label, else its place. */
function labelOf(item: Json, index: number): string {
  if (!isJsonObject(item)) return String(index);
  return printable(item.name) ?? printable(item.label) ?? String(index);
}

function printable(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  return (
    cleanText(value)
      .replace(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, MAX_LABEL) || undefined
  );
}
