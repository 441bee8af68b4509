import { MAX_SHOWN_BYTES, shownBeginning, tellsValues, type Briefing } from '#libs/engine';
import { isReference, referencesIn } from '#libs/events';
import type { Json } from '#libs/kernel';
import type { KeptValues } from './kept-values.js';
import { AT_ONCE, chunks, MAX_REFERENCES, MAX_TOGETHER_BYTES, replaced, valueOf } from './put-together.js';

const OUTPUT = 'command.output';
/** More of the end of an output than any model is told. */
const END_BYTES = 64 * 1024;

/**
 * What a model is told, without references. Of a large value models are told the beginning, so no more of it is read, and
 * of an output the end; of more than 1,000 kept values the last are told by their size alone.
 */
export async function withValuesTold(briefing: Briefing, kept: KeptValues): Promise<Briefing> {
  const { context, kept: marks, fidelity } = briefing;
  if (Object.keys(marks).length === 0) return briefing;
  if (!tellsValues(fidelity)) return { ...briefing, kept: {} };
  const sizes = new Map<string, number>();
  for (const { reference, bytes } of referencesIn(Object.fromEntries(context), marks)) sizes.set(reference, bytes);
  const told = new Map<string, Json>([...sizes].map(([reference, bytes]) => [reference, `(${bytes} bytes)`]));
  for (const some of chunks([...sizes].slice(0, MAX_REFERENCES), AT_ONCE)) {
    await Promise.all(some.map(async ([reference, bytes]) => told.set(reference, await shown(kept, reference, bytes))));
  }
  const output = new Map(context).get(OUTPUT);
  const end = isReference(output, marks[OUTPUT]) ? await kept.end(output, END_BYTES) : undefined;
  return {
    ...briefing,
    context: context.map(([key, value]) => [key, replaced(value, marks[key], told)]),
    kept: {},
    ...(end && { output: end }),
  };
}

/** A small value is shown whole. The size of one that an older version kept is found by reading it. */
async function shown(kept: KeptValues, reference: string, bytes: number): Promise<Json> {
  const text = await kept.beginning(reference, bytes > MAX_SHOWN_BYTES ? MAX_SHOWN_BYTES : MAX_TOGETHER_BYTES);
  if (text === undefined) return reference;
  const all = Math.max(bytes, Buffer.byteLength(text));
  return all > MAX_SHOWN_BYTES ? shownBeginning(text, all) : valueOf(reference, text);
}
