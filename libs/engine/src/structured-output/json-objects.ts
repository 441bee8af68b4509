import { OpenBraces } from './open-braces.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Of a longer text only the end is looked at, where outputs say what they have to say. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** More than this of the end of an output need not be at hand: it shows that there is more than is looked at. */
export const MAX_READ_BYTES = MAX_LENGTH + 1;

/** Says that a text has none, and how much of it was looked at. */
export function noObjectIn({ length }: string): string {
  return length > MAX_LENGTH ? 'no JSON object found in its last 8 MiB' : 'no JSON object found';
}

/** Of more objects than this in one text only the last ones are looked at. */
const MAX_OBJECTS = 1_000;

/**
 * The outermost balanced `{…}` of a text, in its order; whether one is JSON is for its reader to find out. Braces inside
 * JSON strings do not count, and a brace that is never closed hides nothing that follows it. Takes time in proportion to
 * the text, and little memory.
 *
 * Where strings begin depends on the brace from which one reads, so the text is read from all braces at once. A reading
 * is outside of strings, inside one, or behind a backslash inside one; readings at the same of these three places see
 * all that follows alike and go on as one.
 */
export function jsonObjectsIn(whole: string): string[] {
  const text = whole.slice(-MAX_LENGTH);
  const found = new Extents();
  const dead = (start: number): boolean => found.cover(start);
  let outside = new OpenBraces();
  let inside = new OpenBraces();
  let escaped = new OpenBraces();
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      outside.absorb(escaped, dead);
      [outside, inside] = [inside, outside];
    } else if (char === BACKSLASH) {
      [inside, escaped] = [escaped, inside];
    } else {
      inside.absorb(escaped, dead);
      if (char === OPEN) outside.push(at);
      else if (char === CLOSE) found.add(outside.pop(), at + 1);
    }
  }
  return found.last(MAX_OBJECTS).map(({ from, to }) => text.slice(from, to));
}

interface Extent {
  from: number;
  to: number;
}

/** Objects found so far, none inside another. Whatever begins inside one of them is no object any more. */
class Extents {
  private readonly extents: Extent[] = [];

  add(from: number | undefined, to: number): void {
    if (from === undefined) return;
    const last = this.extents.at(-1);
    // Mostly it begins behind all others, which needs no search.
    if (last && from < last.to) {
      if (this.cover(from)) return;
      this.extents.length = this.countBefore(from);
    }
    this.extents.push({ from, to });
    if (this.extents.length === 2 * MAX_OBJECTS) this.extents.splice(0, MAX_OBJECTS);
  }

  cover(start: number): boolean {
    const before = this.extents[this.countBefore(start) - 1];
    return before !== undefined && start < before.to;
  }

  last(count: number): Extent[] {
    return this.extents.slice(-count);
  }

  private countBefore(start: number): number {
    let low = 0;
    let high = this.extents.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.extents[middle] as Extent).from < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
