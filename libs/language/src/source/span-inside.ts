import { type Literal } from '../syntax/tree.js';
import { type Span } from './source-text.js';
import { type Sources } from './sources.js';

/** Where a part of a value stands in the source it was written in: `from` and `to` count in the value's text. */
export function spanInside(sources: Sources, { form, span }: Literal, from: number, to: number): Span {
  if (form !== 'quoted') return within(span, span.start + from, span.start + to);
  const { text, base } = sources.textAt(span.start);
  const written = text.slice(span.start - base + 1, span.end - base - 1);
  const first = span.start + 1;
  return within(span, first + writtenOffset(written, from), first + writtenOffset(written, to));
}

const ESCAPE = /\\["\\nt]/g;

/** Escapes are two characters that mean one. */
function writtenOffset(written: string, offset: number): number {
  let extra = 0;
  for (const { index } of written.matchAll(ESCAPE)) {
    if (index - extra >= offset) break;
    extra++;
  }
  return offset + extra;
}

function within(span: Span, start: number, end: number): Span {
  const clamp = (at: number): number => Math.min(Math.max(at, span.start), span.end);
  return { start: clamp(start), end: Math.max(clamp(end), Math.min(clamp(start) + 1, span.end)) };
}
