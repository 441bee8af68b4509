import { isReference, readReference, referencesIn, type KeptMark } from '#libs/events';
import { isJsonObject, RunyardError, type Json } from '#libs/kernel';
import { TOO_LARGE, type KeptValues } from './kept-values.js';

/** What one attempt may put together from kept values. */
export const MAX_TOGETHER_BYTES = 8 * 1024 * 1024;
export const MAX_REFERENCES = 1_000;
/** How many are read at once. */
export const AT_ONCE = 8;

/** A value that is more than one attempt may read. The attempt ends with it, and nothing else does. */
export class KeptValueTooLargeError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(name: string, limit: string) {
    super(
      `The value "${name}" cannot be read here: with the large values that it refers to it takes more than ${limit}. Let stages write large results into files, and into the context only what others decide on.`,
    );
  }
}

type Texts = ReadonlyMap<string, string>;

/**
 * A value with what its references stand for in their places. Only what is marked is a reference, and nothing is looked for
 * inside what one stands for. One whose object is gone stays as it is. Rejects with a {@link KeptValueTooLargeError} for
 * more than 8 MiB or 1,000 references, before that much is read.
 */
export async function putTogether(
  kept: KeptValues,
  key: string,
  value: Json,
  mark: KeptMark | undefined,
): Promise<Json> {
  if (mark === undefined) return value;
  return replaced(value, mark, parsed(await textsOf(kept, key, value, mark)));
}

/**
 * A value as text: a text as it is, anything else as compact JSON. One that was kept as a whole may be as large as
 * `maxBytes`; for one that is put together see {@link putTogether}.
 */
export async function textOf(
  kept: KeptValues,
  key: string,
  { value, mark }: { value: Json; mark?: KeptMark },
  maxBytes: number,
): Promise<string> {
  if (isReference(value, mark)) {
    const text = await kept.text(value, maxBytes);
    if (text === TOO_LARGE) throw new KeptValueTooLargeError(key, `${maxBytes} bytes`);
    return text ?? value;
  }
  const whole = await putTogether(kept, key, value, mark);
  const text = typeof whole === 'string' ? whole : JSON.stringify(whole);
  if (Buffer.byteLength(text) > maxBytes) throw new KeptValueTooLargeError(key, `${maxBytes} bytes`);
  return text;
}

async function textsOf(kept: KeptValues, key: string, value: Json, mark: KeptMark): Promise<Texts> {
  const tooLarge = (): Error =>
    new KeptValueTooLargeError(key, `${MAX_TOGETHER_BYTES} bytes or ${MAX_REFERENCES} references`);
  const times = new Map<string, number>();
  let left = MAX_TOGETHER_BYTES;
  let count = 0;
  for (const { reference, bytes } of referencesIn(value, mark)) {
    times.set(reference, (times.get(reference) ?? 0) + 1);
    left -= bytes;
    if (++count > MAX_REFERENCES || left < 0) throw tooLarge();
  }
  const texts = new Map<string, string>();
  left = MAX_TOGETHER_BYTES;
  for (const some of chunks([...times], AT_ONCE)) {
    const read = await Promise.all(some.map(async ([reference]) => kept.text(reference, left)));
    for (const [place, [reference, often]] of some.entries()) {
      const text = read[place];
      if (text === undefined) continue;
      if (text === TOO_LARGE || (left -= often * Buffer.byteLength(text)) < 0) throw tooLarge();
      texts.set(reference, text);
    }
  }
  return texts;
}

function parsed(texts: Texts): Map<string, Json> {
  return new Map([...texts].map(([reference, text]) => [reference, valueOf(reference, text)]));
}

/** What the text of a kept value says. */
export function valueOf(reference: string, text: string): Json {
  return readReference(reference)?.isJson ? (JSON.parse(text) as Json) : text;
}

/** A value with other ones in place of its references, as far as there are any for them. */
export function replaced(value: Json, mark: KeptMark | undefined, values: ReadonlyMap<string, Json>): Json {
  if (mark === undefined) return value;
  if (isReference(value, mark)) return values.get(value) ?? value;
  if (typeof mark === 'number') return value;
  const inner = (name: string, member: Json): Json =>
    replaced(member, Object.hasOwn(mark, name) ? mark[name] : undefined, values);
  if (Array.isArray(value)) return value.map((item, place) => inner(String(place), item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(name, member)]));
}

export function* chunks<T>(items: readonly T[], size: number): Iterable<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
