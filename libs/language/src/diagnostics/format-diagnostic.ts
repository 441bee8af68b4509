import { type Diagnostic } from './diagnostic.js';

const MAX_WIDTH = 120;
const BEFORE_CARET = 60;

/**
 * Prints a diagnostic for a terminal: `line:column severity rule message`, the line it points at and carets under the
 * place. A very long line is cut around the place.
 */
export function formatDiagnostic(source: string, { severity, rule, message, fix, range }: Diagnostic): string {
  const { start, end } = range;
  const lineStart = start.offset - (start.column - 1);
  const newline = source.indexOf('\n', lineStart);
  const lineEnd = newline === -1 ? source.length : newline;
  const fits = lineEnd - lineStart <= MAX_WIDTH || start.column <= BEFORE_CARET;
  const from = fits ? lineStart : start.offset - BEFORE_CARET;
  const shown = source.slice(from, Math.min(lineEnd, from + MAX_WIDTH)).trimEnd();
  const indent = shown
    .slice(0, start.offset - from)
    .replace(/[^\t]/g, ' ')
    .padEnd(start.offset - from);
  const carets = '^'.repeat(Math.max(1, Math.min(end.offset, lineEnd, from + MAX_WIDTH) - start.offset));
  return [
    `${start.line}:${start.column} ${severity} ${rule} ${message}`,
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
    `  ${shown}`,
    `  ${indent}${carets}`,
  ].join('\n');
}
