import { type Span } from '../source/source-text.js';
import { type Identifier, type Literal, type LiteralForm } from './tree.js';

/** Most of what is read is never pointed at: its span is made when somebody asks. */
abstract class Read {
  constructor(
    readonly text: string,
    private readonly start: number,
    private readonly end: number,
  ) {}

  get span(): Span {
    return { start: this.start, end: this.end };
  }
}

export class ReadIdentifier extends Read implements Identifier {}

export class ReadLiteral extends Read implements Literal {
  constructor(
    readonly form: LiteralForm,
    text: string,
    start: number,
    end: number,
  ) {
    super(text, start, end);
  }
}
