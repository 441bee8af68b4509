import { type Program, type TokenType } from '@huggingface/jinja';
import { type Span } from '../../source/source-text.js';
import { type TemplateText } from './template-text.js';

/** A token inside a tag, as the parser of templates calls it. Offsets count in the template. */
export interface TagToken {
  readonly type: TokenType;
  /** A string has no quotes and no escapes any more. */
  readonly value: string;
  readonly from: number;
  readonly to: number;
}

/** `{{ output }}` or `{% statement %}` */
export class TemplateTag {
  /** What an include stands for, once that is read. */
  included?: Program;

  constructor(
    readonly kind: 'output' | 'statement',
    readonly within: TemplateText,
    readonly from: number,
    readonly to: number,
    readonly tokens: readonly TagToken[],
  ) {}

  /** The word a statement begins with: `if`, `endfor`, … */
  get keyword(): string | undefined {
    const [first] = this.tokens;
    return this.kind === 'statement' && first?.type === 'Identifier' ? first.value : undefined;
  }

  get span(): Span {
    return this.within.spanOf(this.from, this.to);
  }

  /** Where a name stands, `inputs.x` and `inputs["x"]` alike; the whole tag when it is not written out. */
  spanOfName(parts: readonly string[]): Span {
    for (let at = 0; at < this.tokens.length; at++) {
      const last = this.endOfName(parts, at);
      if (last) return this.within.spanOf(this.tokens[at]!.from, last.to);
    }
    return this.span;
  }

  private endOfName(parts: readonly string[], at: number): TagToken | undefined {
    const [root, ...members] = parts;
    let token = this.tokens[at];
    if (token?.type !== 'Identifier' || token.value !== root || this.tokens[at - 1]?.type === 'Dot') return undefined;
    for (const member of members) {
      const brackets = this.tokens[at + 1]?.type === 'OpenSquareBracket';
      if (this.tokens[at + 2]?.value !== member) return undefined;
      at += brackets ? 3 : 2;
      token = this.tokens[at];
    }
    return token;
  }
}
