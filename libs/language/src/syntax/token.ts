import { type Span } from '../source/source-text.js';
import { type LiteralForm } from './tree.js';

export type Punctuation = '{' | '}' | '[' | ']' | ';' | ',' | '=' | '->' | '--' | ':' | '<';

/**
 * `name` is an identifier, with dots where an attribute's key may have them; literal forms appear where a value is
 * read, and elsewhere only as `quoted`; `junk` begins nothing in this language; `end` is the end of the source.
 */
export type TokenKind = Punctuation | LiteralForm | 'name' | 'junk' | 'end';

export interface Token {
  kind: TokenKind;
  text: string;
  span: Span;
}
