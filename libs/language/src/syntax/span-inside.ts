import { type Literal } from './tree.js';
import { type Span } from '../source/source-text.js';
import { type Sources } from '../source/sources.js';

/** Where a part of a value stands in the source it was written in: `from` and `to` count in the value's text. */
export function spanInside(sources: Sources, literal: Literal, from: number, to: number): Span {
  return spansInside(sources, literal)(from, to);
}

/** The same for many parts of one value, which is read only once. */
export function spansInside(sources: Sources, { form, span }: Literal): (from: number, to: number) => Span {
  if (form !== 'quoted') return (from, to) => within(span, span.start + from, span.start + to);
  const { text, base } = sources.textAt(span.start);
  const first = span.start + 1;
  const escapes = escapesIn(text.slice(first - base, span.end - base - 1));
  // Escapes are two characters that mean one.
  const place = (offset: number) => first + offset + countBelow(escapes, offset);
  return (from, to) => within(span, place(from), place(to));
}

const ESCAPE = /\\["\\nt]/g;

/** Where the characters that are written as escapes stand in the value's text. */
function escapesIn(written: string): number[] {
  return Array.from(written.matchAll(ESCAPE), ({ index }, before) => index - before);
}

function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function within(span: Span, start: number, end: number): Span {
  const clamp = (at: number): number => Math.min(Math.max(at, span.start), span.end);
  return { start: clamp(start), end: Math.max(clamp(end), Math.min(clamp(start) + 1, span.end)) };
}
