import { type Span } from '../source/source-text.js';
import { type LiteralForm } from './tree.js';

export type Punctuation = '{' | '}' | '[' | ']' | ';' | ',' | '=' | '->' | '--' | ':' | '<';

/**
 * `name` is an identifier, with dots where an attribute's key may have them; literal forms appear where a value is
 * read, and elsewhere only as `quoted`; `junk` begins nothing in this language; `end` is the end of the source.
 */
export type TokenKind = Punctuation | LiteralForm | 'name' | 'junk' | 'end';

/** The lexer fills one token again and again, so that reading a source makes no litter: keep what you need of it. */
export class Token {
  kind: TokenKind = 'end';
  text = '';
  start = 0;
  end = 0;

  get span(): Span {
    return { start: this.start, end: this.end };
  }
}
