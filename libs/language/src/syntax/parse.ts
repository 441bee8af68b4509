import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { SourceText } from '../source/source-text.js';
import { Parser } from './parser.js';
import { SyntaxReport } from './syntax-report.js';
import { type Document } from './tree.js';

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

export function parseText(source: SourceText): Parsed {
  const report = new SyntaxReport(source);
  const at = source.text.search(UNSTORABLE);
  if (at !== -1)
    report.add('The source has a character that is no text (U+0000 or half of a surrogate pair).', {
      start: source.base + at,
      end: source.base + at + 1,
    });
  const tree = new Parser(source, report).document();
  return { tree, diagnostics: report.diagnostics };
}
