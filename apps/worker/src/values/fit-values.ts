import type { Outcome } from '#libs/engine';
import { MAX_VALUE_BYTES, MAX_VALUES_BYTES, REFERENCE_BYTES, type KeptMarks } from '#libs/events';
import { jsonBytes, maskTokensIn, RunyardError, type Json } from '#libs/kernel';
import type { KeptValues } from './kept-values.js';
import { putTogether } from './put-together.js';

/** What a stage wrote, and where in it references stand. */
export type FittedValues = Required<Pick<Outcome, 'contextUpdates' | 'kept'>>;

/** Smaller values are not worth an object, unless an event cannot take them. */
const SMALL_BYTES = 1024;
/** Colon and comma of a member. */
const SEPARATORS = 2;
/** The bytes that a mark says. */
const MARK_BYTES = 12;

/** So many values, or keys so long, that no event could even name them all. */
class TooManyValuesError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(count: number) {
    super(
      `The ${count} context values of this stage do not fit into one event, even by reference; write fewer, larger ones.`,
    );
  }
}

interface Sized {
  key: string;
  value: Json;
  bytes: number;
}

/**
 * The values, tokens masked, with those kept that are too large for an event, the largest first, and large ones as long as
 * all together take more than `mostBytes`. What is kept holds no reference: those inside of it are put in their places
 * first. Rejects where the keys and references of all are too large alone, and kept nothing then; and where what belongs
 * together is more than one attempt may read.
 */
export async function fitValues(
  { contextUpdates: all, kept: marks }: FittedValues,
  kept: KeptValues,
  mostBytes = MAX_VALUES_BYTES,
): Promise<FittedValues> {
  const contextUpdates = maskTokensIn(all);
  const sized = Object.entries(contextUpdates).map(([key, value]): Sized => sizedOf(key, value, marks));
  sized.sort((a, b) => b.bytes - a.bytes);
  let total = sized.reduce((sum, { key, bytes }) => sum + jsonBytes(key) + bytes + SEPARATORS, SEPARATORS);
  const large = sized.filter(({ key, bytes }) => {
    if (bytes <= MAX_VALUE_BYTES && total <= (bytes > SMALL_BYTES ? mostBytes : MAX_VALUES_BYTES)) return false;
    total -= Math.max(0, bytes - REFERENCE_BYTES - jsonBytes(key) - MARK_BYTES);
    return true;
  });
  if (total > MAX_VALUES_BYTES) throw new TooManyValuesError(sized.length);
  const fitting = new Map(Object.entries(contextUpdates));
  const marked = new Map(Object.entries(marks));
  for (const { key, value } of large) {
    const { reference, bytes } = await kept.keepValue(await putTogether(kept, key, value, marked.get(key)));
    fitting.set(key, reference);
    marked.set(key, bytes);
  }
  return { contextUpdates: Object.fromEntries(fitting), kept: Object.fromEntries(marked) };
}

function sizedOf(key: string, value: Json, marks: KeptMarks): Sized {
  const mark = Object.hasOwn(marks, key) ? marks[key] : undefined;
  const forMark = mark === undefined ? 0 : jsonBytes(key) + jsonBytes({ mark });
  // A long text is kept in any case: how much longer its JSON would be need not be known.
  const isLong = typeof value === 'string' && value.length > MAX_VALUES_BYTES;
  return { key, value, bytes: (isLong ? value.length : jsonBytes(value)) + forMark };
}
