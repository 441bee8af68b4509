import { truncateText, type Json } from '#libs/kernel';

/** Values above this are shown by their beginning only. */
export const MAX_SHOWN_BYTES = 8 * 1024;
const PREVIEW_BYTES = 300;

/** A context value as text, no longer than a model has use for. */
export function shownValue(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_SHOWN_BYTES ? text : shownBeginning(text, bytes);
}

/** What is shown of a text of so many bytes; only its beginning need be there. */
export function shownBeginning(text: string, bytes: number): string {
  return `(${bytes} bytes) ${truncateText(text, PREVIEW_BYTES)} …`;
}

/** What branches report, part by part: the answer of one is not left out because the others said much, too. */
export function shownResults(results: Json): string {
  return JSON.stringify(results, (_, part: unknown) => (typeof part === 'string' ? shownValue(part) : part));
}
