import type { KeptMark, KeptMarks } from '#libs/events';
import type { Json } from '#libs/kernel';
import { held, hold } from '../state/by-name.js';
import type { Written } from '../state/state.js';

/** Writes a value over what stood under its key, and over what that was marked with. */
export function write({ context, kept }: Written, key: string, value: Json, mark?: KeptMark): void {
  hold(context, key, value);
  if (mark === undefined) delete kept[key];
  else hold(kept, key, mark);
}

export function writeAll(written: Written, values: Readonly<Record<string, Json>>, marks: KeptMarks = {}): void {
  for (const [key, value] of Object.entries(values)) write(written, key, value, held(marks, key));
}
