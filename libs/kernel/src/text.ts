import { isJsonObject, type Json } from './json.js';

const REPLACEMENT = '\uFFFD';
const MAX_DEPTH = 64;

/** Text that PostgreSQL stores and every JSON reader reads: no U+0000, no lone surrogate. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', REPLACEMENT).toWellFormed();
}

/** The same for a whole value; whatever lies deeper than 64 levels becomes `null`. */
export function cleanJson<T extends Json>(value: T): T {
  return clean(value, 0) as T;
}

function clean(value: Json, depth: number): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [cleanText(key), clean(member, depth + 1)]),
  );
}

/** At most `maxBytes` of UTF-8, cut between characters. */
export function truncateText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text;
  // No character takes less than a byte: of a long text no more is looked at.
  const beginning = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes);
  return new TextDecoder().decode(beginning, { stream: true });
}

/** How many bytes a value takes as JSON. */
export function jsonBytes(value: Json | object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** No UTF-16 unit takes more than the six bytes of an escape. */
const BYTES_A_UNIT = 6;

/** Whether a text takes at most so many bytes as JSON. Short texts cost a look at their length. */
export function fitsJson(text: string, maxBytes: number): boolean {
  if (text.length * BYTES_A_UNIT + 2 <= maxBytes) return true;
  return text.length + 2 <= maxBytes && jsonBytes(text) <= maxBytes;
}

/** The text, or its beginning and an ellipsis: at most `maxBytes` as JSON. */
export function shortenText(text: string, maxBytes: number): string {
  if (fitsJson(text, maxBytes)) return text;
  let kept = Math.max(0, maxBytes - jsonBytes('…'));
  for (;;) {
    const cut = `${truncateText(text, kept)}…`;
    const bytes = jsonBytes(cut);
    if (bytes <= maxBytes || kept === 0) return cut;
    kept = Math.floor((kept * maxBytes) / (bytes + 1));
  }
}
