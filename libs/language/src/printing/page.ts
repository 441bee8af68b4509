import { commentText, followsBlankLine, type Comment } from './comments.js';

const INDENT = '  ';
const MAX_WIDTH = 100;

/**
 * What the end of the text is: `opened`, where no blank line may follow; `held` by a comment that belongs to what comes
 * next; `full`, where the next thing begins a line; `closed` to anything but a new line, by a comment `// …`.
 */
type End = 'opened' | 'held' | 'full' | 'closed';

/** A text that is written line by line. Blank lines and the places of comments are taken from the source it lays out. */
export class PrintedPage {
  private written = '';
  private column = 0;
  private level = 0;
  private end: End = 'opened';

  constructor(private readonly source: string) {}

  get text(): string {
    return this.written;
  }

  /** What a line begins with that is so many levels further in than the block. */
  indentation(further = 0): string {
    return INDENT.repeat(this.level + further);
  }

  /** Whether a text fits on the line, in one piece. */
  fits(text: string): boolean {
    return this.column + text.length <= MAX_WIDTH && !text.includes('\n');
  }

  write(text: string): void {
    const newline = text.lastIndexOf('\n');
    this.column = newline === -1 ? this.column + text.length : text.length - newline - 1;
    this.written += text;
    this.end = 'full';
  }

  /** Begins the line of what stands at an offset of the source; of several blank lines before it one is kept. */
  beginLine(offset: number): void {
    if (this.end === 'held') return this.write(' ');
    const isFirst = this.written === '';
    const isGroup = this.end !== 'opened' && followsBlankLine(this.source, offset);
    this.write(`${isFirst ? '' : isGroup ? '\n\n' : '\n'}${this.indentation()}`);
  }

  /**
   * A comment that is alone on its line stays so, one behind something stays behind it, one before something stays
   * before that, unless there is nothing before the block ends.
   */
  comment(comment: Comment, isLast = false): void {
    const { start, isOpen, startsLine, endsLine } = comment;
    const trails = !startsLine && (endsLine || isLast);
    if (trails && this.end !== 'closed') this.write(' ');
    else this.beginLine(start);
    this.write(commentText(comment, this.indentation()));
    if (isOpen) this.end = 'closed';
    else if (!endsLine && !isLast) this.end = 'held';
  }

  open(bracket: string): void {
    this.write(bracket);
    this.level++;
    this.end = 'opened';
  }

  /** An empty block is closed where it was opened. */
  close(bracket: string): void {
    const isEmpty = this.end === 'opened';
    this.level--;
    this.write(isEmpty ? bracket : `\n${this.indentation()}${bracket}`);
  }

  /** Writes something one level further in. */
  within(write: () => void): void {
    this.level++;
    write();
    this.level--;
  }
}
