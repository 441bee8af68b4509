import { type SourceText, type Span } from '../source/source-text.js';
import { formOf, unescape } from './literal.js';
import { type Punctuation, type Token, type TokenKind } from './token.js';

const SPACE = /[ \t\r\n\uFEFF]+/y;
const NAME = /[A-Za-z_][\w.]*/y;
const PUNCTUATION = /->|--|[{}[\];,=:<]/y;
const VALUE_RUN = /[\w+.-]+/y;
const JUNK = /[\w.+]+|[^]/uy;

/** What the parser hopes to read next. A value may hold hyphens (`gpt-5.2`) where a name ends before an arrow. */
export type Expecting = 'name' | 'value';

type ReportAt = (message: string, span: Span) => void;

/** Cuts a source into tokens, one at a time. Comments and white space are skipped; the last token is `end`, for ever. */
export class Lexer {
  private readonly text: string;
  private readonly base: number;
  private at = 0;

  constructor(
    source: SourceText,
    private readonly report: ReportAt,
  ) {
    this.text = source.text;
    this.base = source.base;
  }

  next(expecting: Expecting): Token {
    this.skipTrivia();
    const start = this.at;
    if (start >= this.text.length) return this.token('end', start, start);
    if (this.text[start] === '"') return this.quoted(start);
    if (expecting === 'value' && this.skip(VALUE_RUN)) {
      const run = this.token('junk', start, this.at);
      run.kind = formOf(run.text) ?? 'junk';
      return run;
    }
    if (this.skip(NAME)) return this.token('name', start, this.at);
    if (this.skip(PUNCTUATION)) return this.token(this.text.slice(start, this.at) as Punctuation, start, this.at);
    this.skip(JUNK);
    return this.token('junk', start, this.at);
  }

  /** Whether nothing but space stands before a token on its line. */
  startsLine({ span }: Token): boolean {
    let at = span.start - this.base - 1;
    while (this.text[at] === ' ' || this.text[at] === '\t') at--;
    return at < 0 || this.text[at] === '\n';
  }

  /** Nothing more will be read. */
  stop(): void {
    this.at = this.text.length;
  }

  private quoted(start: number): Token {
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    if (end >= this.text.length) {
      this.report('This string is never closed: its closing quote is missing.', this.span(start, start + 1));
      this.stop();
      return this.token('end', this.at, this.at);
    }
    this.at = end + 1;
    return { kind: 'quoted', text: unescape(this.text.slice(start + 1, end)), span: this.span(start, end + 1) };
  }

  private token(kind: TokenKind, start: number, end: number): Token {
    return { kind, text: this.text.slice(start, end), span: this.span(start, end) };
  }

  private span(start: number, end: number): Span {
    return { start: this.base + start, end: this.base + end };
  }

  private skipTrivia(): void {
    do this.skip(SPACE);
    while (this.skipComment());
  }

  private skipComment(): boolean {
    if (this.text.startsWith('//', this.at)) {
      const end = this.text.indexOf('\n', this.at);
      this.at = end === -1 ? this.text.length : end;
      return true;
    }
    if (!this.text.startsWith('/*', this.at)) return false;
    const end = this.text.indexOf('*/', this.at + 2);
    if (end === -1) this.report('This comment is never closed: its "*/" is missing.', this.span(this.at, this.at + 2));
    this.at = end === -1 ? this.text.length : end + 2;
    return true;
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }
}
