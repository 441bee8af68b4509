import { type Diagnostic } from '../diagnostics/diagnostic.js';
import { type SourceText, type Span } from '../source/source-text.js';

/** Further errors would more likely follow from earlier ones than tell anything new. */
const MAX_ERRORS = 50;

/** Collects the syntax errors of one source, up to a limit. */
export class SyntaxReport {
  readonly diagnostics: Diagnostic[] = [];
  private closed = false;

  constructor(private readonly source: SourceText) {}

  /** Whatever is added now is dropped. */
  get isFull(): boolean {
    return this.closed || this.diagnostics.length >= MAX_ERRORS;
  }

  add(message: string, span: Span): void {
    if (this.isFull) return;
    const { path } = this.source;
    const place = { ...(path !== undefined && { path }), range: this.source.rangeOf(span) };
    this.diagnostics.push({ rule: 'syntax', severity: 'error', message, ...place });
  }

  /** Adds an error that swallows the rest of the source: what seems to be missing behind it is not worth a word. */
  addLast(message: string, span: Span): void {
    this.add(message, span);
    this.closed = true;
  }
}
