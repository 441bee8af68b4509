import { type SourceText, type Span } from '../source/source-text.js';
import { isNamePart, isNameStart, isSpace, isValuePart } from './characters.js';
import { formOf, unescape } from './literal.js';
import { Token, type Punctuation, type TokenKind } from './token.js';

const PUNCTUATION: ReadonlySet<string> = new Set<Punctuation>([
  '{',
  '}',
  '[',
  ']',
  ';',
  ',',
  '=',
  '->',
  '--',
  ':',
  '<',
]);
const JUNK = /[\w.+]+|[^]/uy;
const QUOTE = 0x22;
const SLASH = 0x2f;

/** What the parser hopes to read next. A value may hold hyphens (`gpt-5.2`) where a name ends before an arrow. */
export type Expecting = 'name' | 'value';

type ReportAt = (message: string, span: Span) => void;

/** Hears of every comment that is skipped, in the order of the source. */
export type OnComment = (span: Span) => unknown;

/** Cuts a source into tokens, one at a time. Comments and white space are skipped; the last token is `end`, for ever. */
export class Lexer {
  /** What was read last. */
  readonly token = new Token();
  private readonly text: string;
  private readonly base: number;
  private at = 0;
  /** Where the next backslash is, as far as anybody looked: strings without one are taken as they are. */
  private backslash = -1;

  constructor(
    source: SourceText,
    private readonly report: ReportAt,
    private readonly onComment: OnComment | undefined,
  ) {
    this.text = source.text;
    this.base = source.base;
  }

  next(expecting: Expecting): void {
    this.skipTrivia();
    const start = this.at;
    if (start >= this.text.length) return this.found('end', start, start, '');
    const first = this.text.charCodeAt(start);
    if (first === QUOTE) return this.quoted(start);
    if (expecting === 'value' && isValuePart(first)) {
      this.skipWhile(isValuePart);
      const run = this.text.slice(start, this.at);
      return this.found(formOf(run) ?? 'junk', start, this.at, run);
    }
    if (isNameStart(first)) {
      this.skipWhile(isNamePart);
      return this.found('name', start, this.at);
    }
    if (!this.punctuation(start)) this.junk(start);
  }

  /** Whether nothing but space stands before a token on its line. */
  startsLine({ start }: Token): boolean {
    let at = start - this.base - 1;
    while (this.text[at] === ' ' || this.text[at] === '\t') at--;
    return at < 0 || this.text[at] === '\n';
  }

  /** Nothing more will be read. */
  stop(): void {
    this.at = this.text.length;
  }

  private quoted(start: number): void {
    let end = this.text.indexOf('"', start + 1);
    const isPlain = end !== -1 && this.nextBackslash(start + 1) > end;
    if (!isPlain) {
      end = start + 1;
      while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    }
    if (end >= this.text.length) {
      this.report('This string is never closed: its closing quote is missing.', this.span(start, start + 1));
      this.stop();
      return this.found('end', this.at, this.at, '');
    }
    this.at = end + 1;
    const written = this.text.slice(start + 1, end);
    this.found('quoted', start, end + 1, isPlain ? written : unescape(written));
  }

  private nextBackslash(from: number): number {
    if (this.backslash < from) {
      const found = this.text.indexOf('\\', from);
      this.backslash = found === -1 ? Infinity : found;
    }
    return this.backslash;
  }

  private punctuation(start: number): boolean {
    const sign = this.text[start]!;
    const arrow = sign === '-' ? this.text.slice(start, start + 2) : '';
    const found = arrow === '->' || arrow === '--' ? arrow : sign;
    if (!isPunctuation(found)) return false;
    this.at = start + found.length;
    this.found(found, start, this.at, found);
    return true;
  }

  private junk(start: number): void {
    JUNK.lastIndex = start;
    JUNK.test(this.text);
    this.at = JUNK.lastIndex;
    this.found('junk', start, this.at);
  }

  private found(kind: TokenKind, start: number, end: number, text = this.text.slice(start, end)): void {
    const { token, base } = this;
    token.kind = kind;
    token.text = text;
    token.start = base + start;
    token.end = base + end;
  }

  private span(start: number, end: number): Span {
    return { start: this.base + start, end: this.base + end };
  }

  private skipTrivia(): void {
    do this.skipWhile(isSpace);
    while (this.text.charCodeAt(this.at) === SLASH && this.skipComment());
  }

  private skipComment(): boolean {
    const start = this.at;
    if (this.text.startsWith('//', start)) {
      const end = this.text.indexOf('\n', start);
      this.at = end === -1 ? this.text.length : end;
    } else if (this.text.startsWith('/*', start)) {
      const end = this.text.indexOf('*/', start + 2);
      if (end === -1) this.report('This comment is never closed: its "*/" is missing.', this.span(start, start + 2));
      this.at = end === -1 ? this.text.length : end + 2;
    } else {
      return false;
    }
    this.onComment?.(this.span(start, this.at));
    return true;
  }

  private skipWhile(belongs: (code: number) => boolean): void {
    while (belongs(this.text.charCodeAt(this.at))) this.at++;
  }
}

function isPunctuation(text: string): text is Punctuation {
  return PUNCTUATION.has(text);
}
