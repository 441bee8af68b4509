import type { CommandInput } from '#libs/engine';
import { isReference, type KeptMark } from '#libs/events';
import type { Json } from '#libs/kernel';
import { TOO_LARGE, type KeptValues } from './kept-values.js';
import { checkDemand, KeptValueTooLargeError, memoryOf, putTogether } from './put-together.js';

/** What a command reads of the context, and where references stand in it. */
export interface InputEntry {
  value: Json;
  mark?: KeptMark;
}

/** Lets an attempt hold large values for a while. */
export interface Reserving {
  reserve(bytes: number): Promise<void>;
  free(): void;
}

/**
 * A value as a command reads it: a text as it is, anything else as compact JSON. One that was kept as a whole may be as
 * large as `maxBytes`, and little of it is held at once; one that is put together is held while it is read, and memory
 * reserved for it. Rejects with a {@link KeptValueTooLargeError} where it is larger; of what is not known before
 * it is read, that rejects.
 */
export async function inputOf(
  kept: KeptValues,
  key: string,
  { value, mark }: InputEntry,
  maxBytes: number,
  memory: Reserving,
): Promise<CommandInput> {
  const tooLarge = (): Error => new KeptValueTooLargeError(key, `${maxBytes} bytes`);
  if (isReference(value, mark)) {
    const input = await kept.input(value, maxBytes);
    if (input === TOO_LARGE) throw tooLarge();
    if (input) return input;
  }
  checkDemand(key, value, mark);
  const bytes = memoryOf(value, mark);
  return async function* () {
    if (bytes > 0) await memory.reserve(bytes);
    try {
      const whole = await putTogether(kept, key, value, mark);
      const text = Buffer.from(typeof whole === 'string' ? whole : JSON.stringify(whole));
      if (text.byteLength > maxBytes) throw tooLarge();
      yield text;
    } finally {
      memory.free();
    }
  };
}
