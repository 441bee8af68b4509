import { type Span } from '../source/source-text.js';
import { isSpace } from '../syntax/characters.js';

/** A comment as it was written, and what else stood on its lines. */
export interface Comment {
  text: string;
  start: number;
  /** It goes on to the end of its line, whatever is put behind it. */
  isOpen: boolean;
  /** Nothing but space stands before it. */
  startsLine: boolean;
  /** No more than comments, and separators, which the layout puts where it likes, stand behind it. */
  endsLine: boolean;
}

/** The comments of one source, taken one after the other in its order. */
export class Comments {
  private taken = 0;

  constructor(
    private readonly source: string,
    private readonly spans: readonly Span[],
  ) {}

  /** Takes those that begin before an offset and were not taken yet. */
  takeUntil(offset: number): Comment[] {
    const first = this.taken;
    while (this.taken < this.spans.length && this.spans[this.taken]!.start < offset) this.taken++;
    const comments: Comment[] = [];
    for (const span of this.spans.slice(first, this.taken).reverse()) {
      comments.push(commentAt(this.source, span, comments.at(-1)));
    }
    return comments.reverse();
  }
}

/** Whether what begins at an offset begins a line, behind one that is empty. */
export function followsBlankLine(source: string, offset: number): boolean {
  const end = endBefore(source, offset);
  return source[end] === '\n' && source[endBefore(source, end)] === '\n';
}

const STARRED = /^\s*\*/;

/** The lines of a comment under its first one: stars stay below each other, anything else stays where it is. */
export function commentText({ text }: Comment, indent: string): string {
  const [first, ...others] = text.split('\n').map((line) => line.trimEnd());
  const areStarred = others.every((line) => STARRED.test(line));
  return [first, ...others.map((line) => (areStarred ? `${indent} ${line.trimStart()}` : line))].join('\n');
}

function commentAt(source: string, { start, end }: Span, next: Comment | undefined): Comment {
  const before = endBefore(source, start);
  const behind = startBehind(source, end);
  return {
    text: source.slice(start, end),
    start,
    isOpen: source.startsWith('//', start),
    startsLine: before < 0 || source[before] === '\n',
    endsLine: behind === next?.start ? next.endsLine : behind === source.length || source[behind] === '\n',
  };
}

/** Where the last character before an offset stands that is no space within a line; -1 when there is none. */
function endBefore(source: string, offset: number): number {
  let at = offset - 1;
  while (at >= 0 && source[at] !== '\n' && isSpace(source.charCodeAt(at))) at--;
  return at;
}

/** Where the first character from an offset on stands that is neither a separator nor space within a line. */
function startBehind(source: string, offset: number): number {
  let at = offset;
  while (source[at] !== '\n' && (isSpace(source.charCodeAt(at)) || source[at] === ';' || source[at] === ',')) at++;
  return at;
}
