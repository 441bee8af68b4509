import { SourceText, type Range, type Span } from './source-text.js';

/** A span as a reader finds it: in which file, and where there. */
export interface Place {
  /** Absent for a text that no file holds. */
  path?: string;
  range: Range;
}

/**
 * The texts one workflow is made of: its source, what it imports, the files it inlines. Their offsets follow each
 * other, so that a span alone says which text it is in.
 */
export class Sources {
  private readonly texts: SourceText[] = [];

  /** Takes a text in, and ends its lines as every shell wants them: with `\n` alone. */
  add(written: string, path?: string): SourceText {
    const last = this.texts.at(-1);
    const text = written.replaceAll('\r\n', '\n');
    const added = new SourceText(text, path, last === undefined ? 0 : last.span.end + 1);
    this.texts.push(added);
    return added;
  }

  placeOf(span: Span): Place {
    const text = this.textAt(span.start);
    return { ...(text.path !== undefined && { path: text.path }), range: text.rangeOf(span) };
  }

  /** The file a span stands in. */
  pathOf(span: Span): string | undefined {
    return this.textAt(span.start).path;
  }

  /** The text that holds an offset. */
  textAt(offset: number): SourceText {
    let low = 0;
    let high = this.texts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.texts[middle]!.base <= offset) low = middle;
      else high = middle - 1;
    }
    return this.texts[low]!;
  }
}
