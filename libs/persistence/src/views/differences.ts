/** A place where two values differ. */
export interface Difference {
  place: string;
  stored: unknown;
  folded: unknown;
}

/** Every place where what is stored differs from what was folded, as JSON has them: the order of keys means nothing. */
export function* differences(place: string, stored: unknown, folded: unknown): Generator<Difference> {
  if (isComposite(stored) && isComposite(folded)) {
    for (const key of new Set([...Object.keys(stored), ...Object.keys(folded)])) {
      yield* differences(`${place}.${key}`, stored[key], folded[key]);
    }
  } else if (JSON.stringify(stored) !== JSON.stringify(folded)) {
    yield { place, stored, folded };
  }
}

function isComposite(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
