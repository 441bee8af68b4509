/** However few lines it has, no more of the output is shown. */
const MAX_LENGTH = 8 * 1024;

/**
 * The end of what a command printed, where faults are told, and how many lines came before it; `linesBefore` of them
 * are not in this output.
 */
export function outputTail(output: string, maxLines: number, linesBefore = 0): string {
  const printed = output.trimEnd();
  if (printed === '') return '(empty)';
  const shown = printed.slice(-MAX_LENGTH).toWellFormed().split('\n').slice(-maxLines);
  const omitted = linesBefore + printed.split('\n').length - shown.length;
  return [...(omitted > 0 ? [`(${omitted} lines omitted)`] : []), ...shown].join('\n');
}
