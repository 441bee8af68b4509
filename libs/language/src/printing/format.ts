import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { SourceText, type Span } from '../source/source-text.js';
import { parseText } from '../syntax/parse.js';
import { Comments } from './comments.js';
import { SourceLayout } from './source-layout.js';

/** `text` is present exactly when there is no diagnostic: what cannot be read is not touched. */
export interface Formatted {
  text: string | undefined;
  /** Syntax errors, in the order of the source. */
  diagnostics: Diagnostic[];
}

/**
 * Writes a source in its canonical layout: the same tree, every name and value spelt as it was, but for durations
 * without a unit, every comment where it stood. Formatting what was formatted changes nothing. Never throws, in time linear in the source.
 */
export function format(source: string): Formatted {
  const comments: Span[] = [];
  const { tree, diagnostics } = parseText(new SourceText(source), (span) => comments.push(span));
  if (!tree || diagnostics.length > 0) return { text: undefined, diagnostics };
  return { text: new SourceLayout(source, new Comments(source, comments)).document(tree), diagnostics };
}
