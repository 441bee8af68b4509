import { type TokenType } from '@huggingface/jinja';
import { type Tag, type TagToken } from './tag.js';

/** The filter through which every output goes: no author can write its name. */
export const OUTPUT = '{{}}';

/** A template as its parser reads it, which keeps no places: the last token it looked at is where it fails. */
export class ParserTokens {
  readonly all: ParserToken[] = [];
  /** The token that was looked at last. */
  reached: ParserToken | undefined;

  put(type: TokenType, value: string, tag?: Tag, token?: TagToken): void {
    this.all.push(new ParserToken(type, value, tag, token, this));
  }

  /** `{{ x }}` as `{{ (x) | output }}`. */
  putOutput(tag: Tag): void {
    this.put('OpenExpression', '{{', tag);
    this.put('OpenParen', '(', tag);
    this.putInside(tag);
    this.put('CloseParen', ')', tag);
    this.put('Pipe', '|', tag);
    this.put('Identifier', OUTPUT, tag);
    this.put('CloseExpression', '}}', tag);
  }

  putStatement(tag: Tag): void {
    this.put('OpenStatement', '{%', tag);
    this.putInside(tag);
    this.put('CloseStatement', '%}', tag);
  }

  private putInside(tag: Tag): void {
    for (const token of tag.tokens) this.put(token.type, token.value, tag, token);
  }
}

/** A token that notes when the parser looks at it. */
export class ParserToken {
  constructor(
    private readonly kind: TokenType,
    readonly value: string,
    readonly tag: Tag | undefined,
    readonly token: TagToken | undefined,
    private readonly tokens: ParserTokens,
  ) {}

  get type(): TokenType {
    this.tokens.reached = this;
    return this.kind;
  }

  get isLast(): boolean {
    return this.tokens.all.at(-1) === this;
  }
}
