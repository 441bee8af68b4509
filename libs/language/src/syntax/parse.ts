import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { SourceText, type Span } from '../source/source-text.js';
import { type OnComment } from './lexer.js';
import { Parser, type StatementReader } from './parser.js';
import { SyntaxReport } from './syntax-report.js';
import { type Document, type Identifier, type DotStatement } from './tree.js';

const UNSTORABLE = /\0|\p{Surrogate}/u;

export interface Parsed {
  /** What could be read; `undefined` when the source does not begin like a workflow. */
  tree: Document | undefined;
  /** Syntax errors, in the order of the source. Without one the tree is the whole source. */
  diagnostics: Diagnostic[];
}

/** Reads a source into its tree. Never throws, in time linear in the source; reports up to 50 errors at once. */
export function parse(source: string): Parsed {
  return parseText(new SourceText(source));
}

export function parseText(source: SourceText, onComment?: OnComment): Parsed {
  let name: Identifier | undefined;
  const statements: DotStatement[] = [];
  const reader: StatementReader = {
    begin: (identifier) => (name = identifier),
    statement: (statement) => statements.push(statement),
  };
  const { span, diagnostics } = readStatements(source, reader, onComment);
  return { tree: name && span && { name, statements, span }, diagnostics };
}

/** The same without a tree: each statement is handed out as soon as it is read, also behind errors. */
export function readStatements(
  source: SourceText,
  reader: StatementReader,
  onComment?: OnComment,
): { span: Span | undefined; diagnostics: Diagnostic[] } {
  const report = new SyntaxReport(source);
  const at = source.text.search(UNSTORABLE);
  if (at !== -1)
    report.add('The source has a character that is no text (U+0000 or half of a surrogate pair).', {
      start: source.base + at,
      end: source.base + at + 1,
    });
  const span = new Parser(source, report, onComment).document(reader);
  return { span, diagnostics: report.diagnostics };
}
