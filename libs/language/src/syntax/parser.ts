import { type SourceText, type Span } from '../source/source-text.js';
import { Lexer, type Expecting, type OnComment } from './lexer.js';
import { ReadIdentifier, ReadLiteral } from './read.js';
import { type SyntaxReport } from './syntax-report.js';
import { type Token, type TokenKind } from './token.js';
import { type Attribute, type Identifier, type Literal, type LiteralForm, type DotStatement } from './tree.js';

/** Deeper than any workflow is written, shallower than any stack. */
const MAX_DEPTH = 256;
const LITERAL_FORMS: ReadonlySet<TokenKind> = new Set<LiteralForm>([
  'quoted',
  'word',
  'duration',
  'integer',
  'float',
  'boolean',
]);

/** What somebody may mean by a sign that the language does not have. */
const HINTS: Readonly<Record<string, string>> = {
  '#': '"#" begins no comment: write "//" before it, or "/*" and "*/" around it.',
  '\\': 'A backslash means something inside a string only. A string ended before it: a quote in a string is written \\".',
};

const LEAVES_LIST: ReadonlySet<TokenKind> = new Set(['->', '{', '}', '[', 'end']);

/** Hears of a document while it is read: statements need not be kept to be used. */
export interface StatementReader {
  begin(name: Identifier): unknown;
  /** A statement of the outermost block, whole. */
  statement(statement: DotStatement): unknown;
}

/** Ends the statement that is being read; its fault has been reported. */
class Abandoned extends Error {}

/**
 * Reads a document by recursive descent, one token ahead. A faulty statement is reported and left out, and reading
 * goes on behind it; a fault whose meaning is plain (a quoted id) is reported and read as it was meant.
 */
export class Parser {
  private readonly lexer: Lexer;
  private readonly current: Token;
  private previousEnd = 0;

  constructor(
    source: SourceText,
    private readonly report: SyntaxReport,
    onComment?: OnComment,
  ) {
    this.lexer = new Lexer(source, (message, span) => this.report.addLast(message, span), onComment);
    this.current = this.lexer.token;
    this.lexer.next('name');
  }

  /** Reads to the end; `undefined` when the source does not even begin like a document. */
  document(reader: StatementReader): Span | undefined {
    const { start } = this.current;
    try {
      this.keyword();
      const name = this.isAt('{') ? this.missingName() : this.identifier('the name of the workflow');
      const open = this.take('{', `"{" after the name`);
      reader.begin(name);
      this.statements(0, (statement) => reader.statement(statement));
      this.close(open);
      if (!this.isAt('end')) this.say(`Nothing may follow the closing "}" of the workflow.`, this.current.span);
      return this.since(start);
    } catch (thrown) {
      if (thrown instanceof Abandoned) return undefined;
      throw thrown;
    }
  }

  private keyword(): void {
    if (this.isWord('strict')) {
      this.say('"strict" is not supported: every edge counts. Remove it.', this.current.span);
      this.advance();
    }
    if (this.isWord('graph')) this.say('Undirected graphs are not supported: write "digraph".', this.current.span);
    else if (!this.isWord('digraph')) throw this.unexpected('"digraph <name> {"');
    this.advance();
  }

  private missingName(): Identifier {
    this.say('A workflow needs a name: write "digraph MyWorkflow {".', this.current.span);
    return { text: '', span: this.current.span };
  }

  private statements(depth: number, handOut: (statement: DotStatement) => unknown): void {
    while (!this.isAt('}') && !this.isAt('end')) {
      const first = this.current.start;
      try {
        handOut(this.statement(depth));
        if (this.isAt(';')) this.advance();
      } catch (thrown) {
        if (!(thrown instanceof Abandoned)) throw thrown;
        this.skipStatement(first);
      }
    }
  }

  private statement(depth: number): DotStatement {
    const { start } = this.current;
    const isInWord = this.isAt('junk') && this.current.start === this.previousEnd;
    if (isInWord && !Object.hasOwn(HINTS, this.current.text)) throw this.notInAnId();
    const first = this.identifier('a statement, which begins with a letter from a to z or "_"');
    switch (this.current.kind) {
      case '[':
        return this.withAttributes(first, start);
      case '=':
        return {
          type: 'assignment',
          attribute: { key: this.simple(first), value: this.value() },
          span: this.since(start),
        };
      case '->':
        return this.edge(first, start);
      case '{':
      case 'name':
      case 'quoted':
        if (first.text === 'subgraph') return this.subgraph(start, depth);
        if (this.isAt('{')) throw this.fault('A block in braces needs "subgraph" before it.', this.current.span);
        break;
      default:
        break;
    }
    this.refuseWhatOtherDialectsAllow();
    return { type: 'node', id: this.simple(first), attributes: [], span: this.since(start) };
  }

  private withAttributes(first: Identifier, start: number): DotStatement {
    const attributes = this.attributes();
    const span = this.since(start);
    switch (first.text) {
      case 'graph':
        return { type: 'graph attributes', attributes, span };
      case 'node':
        return { type: 'node defaults', attributes, span };
      case 'edge':
        return { type: 'edge defaults', attributes, span };
      default:
        return { type: 'node', id: this.simple(first), attributes, span };
    }
  }

  private edge(first: Identifier, start: number): DotStatement {
    const nodes = [this.simple(first), this.head()];
    while (this.isAt('->')) nodes.push(this.head());
    this.refuseWhatOtherDialectsAllow();
    const attributes = this.isAt('[') ? this.attributes() : [];
    return { type: 'edge', nodes, attributes, span: this.since(start) };
  }

  /** Reads `-> id`. */
  private head(): Identifier {
    this.advance();
    if (this.isAt('{') || this.isWord('subgraph')) {
      throw this.fault('An edge leads to one node; write one edge for each node of a group.', this.current.span);
    }
    return this.simple(this.identifier('the id of a node after "->"'));
  }

  private subgraph(start: number, depth: number): DotStatement {
    const name = this.isAt('{') ? undefined : this.identifier('the name of the subgraph');
    if (!this.isAt('{')) throw this.unexpected('"{" after "subgraph"');
    if (depth >= MAX_DEPTH)
      throw this.fault(`Subgraphs are nested deeper than ${MAX_DEPTH} levels.`, this.current.span);
    const open = this.take('{', '"{"');
    const statements: DotStatement[] = [];
    this.statements(depth + 1, (statement) => statements.push(statement));
    this.close(open);
    return { type: 'subgraph', ...(name && { name }), statements, span: this.since(start) };
  }

  private attributes(): Attribute[] {
    const open = this.take('[', '"["');
    const attributes: Attribute[] = [];
    let isApart = true;
    while (!this.isAt(']')) {
      if (this.leavesList()) throw this.fault('This "[" is never closed: its "]" is missing.', open);
      try {
        attributes.push(this.attribute(isApart ? undefined : attributes.at(-1)));
        isApart = this.isAt(',') || this.isAt(';');
        if (isApart) this.advance();
      } catch (thrown) {
        if (!(thrown instanceof Abandoned)) throw thrown;
        this.skipAttribute();
      }
    }
    this.advance();
    return attributes;
  }

  /** `before` is the attribute that nothing but a blank separates from this one. */
  private attribute(before?: Attribute): Attribute {
    if (this.isAt(',') || this.isAt(';')) {
      throw this.fault(`An attribute is missing before "${this.current.text}".`, this.current.span);
    }
    const key = this.identifier('an attribute, key=value,');
    if (/\.(?![A-Za-z_])/.test(key.text)) {
      throw this.fault('The parts between the dots of a key begin with a letter or "_".', key.span);
    }
    if (this.isAt('=')) return { key, value: this.value() };
    if (this.leavesList()) throw new Abandoned();
    if (before?.value.form === 'word') throw this.fault(unquoted(before, key), key.span);
    throw this.unexpected(`"=" after the attribute's key "${key.text}"`);
  }

  private notInAnId(): Abandoned {
    const message = `${shown(this.current)} cannot stand in an id: it is made of the letters a to z, digits and "_". Write "_" there; a label says what is shown.`;
    return this.fault(message, this.current.span);
  }

  /** The current token cannot stand between brackets, so the list was not closed. */
  private leavesList(): boolean {
    return LEAVES_LIST.has(this.current.kind);
  }

  /** Reads `= value`. */
  private value(): Literal {
    this.advance('value');
    const { kind, text, start, end } = this.current;
    if (isLiteral(kind)) {
      this.advance();
      return new ReadLiteral(kind, text, start, end);
    }
    const { span } = this.current;
    if (kind === '<') throw this.fault('HTML-like values are not supported: write a quoted string.', span);
    if (kind === 'junk') {
      throw this.fault(
        HINTS[text] ??
          `${shown(this.current)} is not a value: put it in quotes, or write a number, a duration such as 30s, true or false.`,
        span,
      );
    }
    throw this.unexpected('a value after "="');
  }

  private identifier(what: string): Identifier {
    const { kind, text, start, end } = this.current;
    if (kind === 'quoted') {
      this.say(`Names and ids are written without quotes, as letters, digits and "_".`, this.current.span);
    } else if (kind !== 'name') throw this.unexpected(what);
    this.advance();
    return new ReadIdentifier(text, start, end);
  }

  /** Dots belong into attribute keys between brackets only. */
  private simple(name: Identifier): Identifier {
    if (name.text.includes('.')) {
      this.say(
        `"${name.text}" has a dot: an id is made of letters, digits and "_", and does not begin with a digit.`,
        name.span,
      );
    }
    return name;
  }

  private refuseWhatOtherDialectsAllow(): void {
    if (this.isAt(':')) throw this.fault('Ports are not supported: an edge leads to a whole node.', this.current.span);
    if (this.isAt('--')) throw this.fault('Undirected edges are not supported: write "->".', this.current.span);
  }

  private take(kind: TokenKind, what: string): Span {
    const { span } = this.current;
    if (!this.isAt(kind)) throw this.unexpected(what);
    this.advance();
    return span;
  }

  private close(open: Span): void {
    if (this.isAt('}')) this.advance();
    else this.say('This "{" is never closed: its "}" is missing.', open);
  }

  /** Skips to what looks like the next statement: behind a `;`, at a name that begins a line, or at the closing brace. */
  private skipStatement(first: number): void {
    let braces = 0;
    let brackets = 0;
    for (; !this.isAt('end'); this.advance()) {
      const { kind } = this.current;
      if (braces === 0) {
        if (kind === '}') return;
        if (brackets === 0 && this.current.start !== first && this.isNameAtLineStart()) return;
        if (kind === ';' && brackets === 0) return this.advance();
      }
      if (kind === '{') braces++;
      else if (kind === '}') braces--;
      else if (kind === '[') brackets++;
      else if (kind === ']') brackets = Math.max(0, brackets - 1);
    }
  }

  /** Skips to what looks like the next attribute, or to what ends the list. */
  private skipAttribute(): void {
    for (const first = this.current.start; !this.leavesList() && !this.isAt(']'); this.advance()) {
      if (this.isAt(',') || this.isAt(';')) return this.advance();
      if (this.current.start !== first && this.isNameAtLineStart()) return;
    }
  }

  private isNameAtLineStart(): boolean {
    return this.isAt('name') && this.lexer.startsLine(this.current);
  }

  private unexpected(what: string): Abandoned {
    const hint = this.isAt('junk') ? HINTS[this.current.text] : undefined;
    return this.fault(hint ?? `Expected ${what}, but found ${shown(this.current)}.`, this.current.span);
  }

  private fault(message: string, span: Span): Abandoned {
    this.say(message, span);
    return new Abandoned();
  }

  private say(message: string, span: Span): void {
    this.report.add(message, span);
    if (!this.report.isFull) return;
    this.lexer.stop();
    this.lexer.next('name');
  }

  private advance(expecting: Expecting = 'name'): void {
    this.previousEnd = this.current.end;
    this.lexer.next(expecting);
  }

  private since(start: number): Span {
    return { start, end: this.previousEnd };
  }

  private isAt(kind: TokenKind): boolean {
    return this.current.kind === kind;
  }

  private isWord(text: string): boolean {
    return this.isAt('name') && this.current.text === text;
  }
}

function isLiteral(kind: TokenKind): kind is LiteralForm {
  return LITERAL_FORMS.has(kind);
}

function unquoted({ key, value }: Attribute, next: Identifier): string {
  return `A value with a blank in it needs quotes: ${key.text}="${value.text} ${next.text}…".`;
}

function shown({ kind, text }: Token): string {
  if (kind === 'end') return 'the end of the source';
  return text.length > 40 ? `"${text.slice(0, 40)}…"` : `"${text}"`;
}
