import { type TokenType } from '@huggingface/jinja';
import { type TemplateTag, type TagToken } from './tag.js';
import { type WithAssignment } from './with-assignments.js';

/** The filter through which every output goes: no author can write its name. */
export const OUTPUT = '{{}}';

/** The filter that is a scope: what is set in its block stays there. */
export const SCOPE = '{%%}';

/** A template as its parser reads it, which keeps no places: the last token it looked at is where it fails. */
export class ParserTokens {
  readonly all: ParserToken[] = [];
  /** The token that was looked at last. */
  reached: ParserToken | undefined;

  put(type: TokenType, value: string, tag?: TemplateTag, token?: TagToken): void {
    this.all.push(new ParserToken(type, value, tag, token, this));
  }

  /** `{{ x }}` as `{{ (x) | output }}`. */
  putOutput(tag: TemplateTag): void {
    this.put('OpenExpression', '{{', tag);
    this.put('OpenParen', '(', tag);
    this.putInside(tag);
    this.put('CloseParen', ')', tag);
    this.put('Pipe', '|', tag);
    this.put('Identifier', OUTPUT, tag);
    this.put('CloseExpression', '}}', tag);
  }

  putStatement(tag: TemplateTag): void {
    this.put('OpenStatement', '{%', tag);
    this.putInside(tag);
    this.put('CloseStatement', '%}', tag);
  }

  /** `{% with a = x, b = y %}` as the begin of a scope and `{% set a, b = (x), (y) %}`. */
  putScope(tag: TemplateTag, assignments: readonly WithAssignment[]): void {
    this.put('OpenStatement', '{%', tag);
    this.put('Identifier', 'filter', tag);
    this.put('Identifier', SCOPE, tag);
    this.put('CloseStatement', '%}', tag);
    if (assignments.length === 0) return;
    this.put('OpenStatement', '{%', tag);
    this.put('Identifier', 'set', tag);
    assignments.forEach(({ name }, at) => {
      if (at > 0) this.put('Comma', ',', tag);
      this.put(name.type, name.value, tag, name);
    });
    this.put('Equals', '=', tag);
    assignments.forEach(({ value }, at) => {
      if (at > 0) this.put('Comma', ',', tag);
      this.put('OpenParen', '(', tag);
      for (const token of value) this.put(token.type, token.value, tag, token);
      this.put('CloseParen', ')', tag);
    });
    this.put('CloseStatement', '%}', tag);
  }

  putEndOfScope(tag: TemplateTag): void {
    this.put('OpenStatement', '{%', tag);
    this.put('Identifier', 'endfilter', tag, tag.tokens[0]);
    for (const token of tag.tokens.slice(1)) this.put(token.type, token.value, tag, token);
    this.put('CloseStatement', '%}', tag);
  }

  private putInside(tag: TemplateTag): void {
    for (const token of tag.tokens) this.put(token.type, token.value, tag, token);
  }
}

/** A token that notes when the parser looks at it. */
export class ParserToken {
  constructor(
    private readonly kind: TokenType,
    readonly value: string,
    readonly tag: TemplateTag | undefined,
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
