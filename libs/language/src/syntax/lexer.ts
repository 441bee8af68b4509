import { formOf, unescape } from './literal.js';
import { type Punctuation, type Token, type TokenKind } from './token.js';

const SPACE = /[ \t\r\n\uFEFF]+/y;
const NAME = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/y;
const PUNCTUATION = /->|--|[{}[\];,=:<]/y;
const VALUE_RUN = /[\w+.-]+/y;
const JUNK = /[\w.+]+|[^]/uy;

/** What the parser hopes to read next. A value may hold hyphens (`gpt-5.2`) where a name ends before an arrow. */
export type Expecting = 'name' | 'value';

export type ReportAt = (message: string, start: number, end: number) => void;

/** Cuts a source into tokens, one at a time. Comments and white space are skipped; the last token is `end`, for ever. */
export class Lexer {
  private at = 0;
  /** Where the last token ended. */
  private lastEnd = 0;

  constructor(
    private readonly text: string,
    private readonly report: ReportAt,
  ) {}

  next(expecting: Expecting): Token {
    this.skipTrivia();
    const start = this.at;
    if (start >= this.text.length) return this.token('end', start, start);
    if (this.text[start] === '"') return this.quoted(start);
    if (expecting === 'value') {
      const run = this.match(VALUE_RUN);
      if (run !== undefined) return this.token(formOf(run) ?? 'junk', start, start + run.length);
    }
    const name = this.match(NAME);
    if (name !== undefined) return this.token('name', start, start + name.length);
    const sign = this.match(PUNCTUATION);
    if (sign !== undefined) return this.token(sign as Punctuation, start, start + sign.length);
    return this.token('junk', start, start + this.match(JUNK)!.length);
  }

  /** Nothing more will be read. */
  stop(): void {
    this.at = this.text.length;
  }

  private quoted(start: number): Token {
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    if (end >= this.text.length) {
      this.report('This string is never closed: its closing quote is missing.', start, start + 1);
      this.stop();
      return this.token('end', this.at, this.at);
    }
    const token = this.token('quoted', start, end + 1);
    token.text = unescape(this.text.slice(start + 1, end));
    return token;
  }

  private token(kind: TokenKind, start: number, end: number): Token {
    const startsLine = this.lastEnd === 0 || this.text.slice(this.lastEnd, start).includes('\n');
    this.at = end;
    this.lastEnd = end;
    return { kind, text: this.text.slice(start, end), span: { start, end }, startsLine };
  }

  private skipTrivia(): void {
    do this.match(SPACE, true);
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
    if (end === -1) this.report('This comment is never closed: its "*/" is missing.', this.at, this.at + 2);
    this.at = end === -1 ? this.text.length : end + 2;
    return true;
  }

  private match(pattern: RegExp, consume = false): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (consume) this.at += found?.length ?? 0;
    return found;
  }
}
