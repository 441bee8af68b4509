import { isReference, readReference, referencesIn, type KeptMark } from '#libs/events';
import { isJsonObject, RunyardError, type Json } from '#libs/kernel';
import { TOO_LARGE, type KeptValues } from './kept-values.js';

/** What one attempt may put together from kept values. */
export const MAX_TOGETHER_BYTES = 8 * 1024 * 1024;
export const MAX_REFERENCES = 1_000;
/** What a byte of JSON may take as a value that consists of very small members. */
const BYTES_A_READ_BYTE = 16;
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

/** About what it takes to put a value together; nothing where it has no references. */
export function memoryOf(value: Json, mark: KeptMark | undefined): number {
  let bytes = 0;
  for (const { bytes: more } of referencesIn(value, mark)) bytes += more || MAX_TOGETHER_BYTES;
  return BYTES_A_READ_BYTE * Math.min(bytes, MAX_TOGETHER_BYTES);
}

/** Throws the {@link KeptValueTooLargeError} with which {@link putTogether} would reject, as far as the marks tell. */
export function checkDemand(key: string, value: Json, mark: KeptMark | undefined): void {
  if (mark !== undefined) demandOf(key, value, mark);
}

/** How often each reference stands in a value; the sizes of what an older version kept are not known. */
function demandOf(key: string, value: Json, mark: KeptMark): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  let [left, count] = [MAX_TOGETHER_BYTES, 0];
  for (const { reference, bytes } of referencesIn(value, mark)) {
    times.set(reference, (times.get(reference) ?? 0) + 1);
    left -= bytes;
    if (++count > MAX_REFERENCES || left < 0) throw tooLargeTogether(key);
  }
  return times;
}

function tooLargeTogether(key: string): Error {
  return new KeptValueTooLargeError(key, `${MAX_TOGETHER_BYTES} bytes or ${MAX_REFERENCES} references`);
}

async function textsOf(kept: KeptValues, key: string, value: Json, mark: KeptMark): Promise<Texts> {
  const times = demandOf(key, value, mark);
  const texts = new Map<string, string>();
  let left = MAX_TOGETHER_BYTES;
  for (const some of chunks([...times], AT_ONCE)) {
    const read = await Promise.all(some.map(async ([reference]) => kept.text(reference, left)));
    for (const [place, [reference, often]] of some.entries()) {
      const text = read[place];
      if (text === undefined) continue;
      if (text === TOO_LARGE || (left -= often * Buffer.byteLength(text)) < 0) throw tooLargeTogether(key);
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
