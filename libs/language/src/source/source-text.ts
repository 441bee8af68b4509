/** Half-open stretch of offsets. Offsets of all texts of one workflow follow each other: see {@link Sources}. */
export interface Span {
  start: number;
  end: number;
}

/** A place in one text. `offset` counts UTF-16 code units from 0; `line` and `column` count from 1. */
export interface TextPosition {
  offset: number;
  line: number;
  column: number;
}

export interface Range {
  start: TextPosition;
  end: TextPosition;
}

/** A text as written, which knows where its lines begin. Only `\n` ends a line. */
export class SourceText {
  private lineStarts: number[] | undefined;

  constructor(
    readonly text: string,
    /** Where the text stands in its bundle; `undefined` for a text that no file holds. */
    readonly path?: string,
    /** The offset of its first character in spans. */
    readonly base = 0,
  ) {}

  /** The span of the whole text. */
  get span(): Span {
    return { start: this.base, end: this.base + this.text.length };
  }

  rangeOf(span: Span): Range {
    return { start: this.positionAt(span.start - this.base), end: this.positionAt(span.end - this.base) };
  }

  /** The position of an offset; an offset outside the text is taken to its nearer end. */
  positionAt(offset: number): TextPosition {
    const inside = Math.min(Math.max(offset, 0), this.text.length);
    const starts = (this.lineStarts ??= lineStartsOf(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= inside) low = middle;
      else high = middle - 1;
    }
    return { offset: inside, line: low + 1, column: inside - starts[low]! + 1 };
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
