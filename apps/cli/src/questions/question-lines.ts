import { counted, firstLineOf, oneLine, plainText } from '../terminal/format.js';
import type { TerminalPaint } from '../terminal/screen.js';
import type { Question } from './open-questions.js';
import { optionName } from './option-name.js';

interface QuestionStyle {
  paint: TerminalPaint;
  width: number;
  /** Lines that are shown of what the stage before the question said. */
  contextLines?: number;
}

const CONTEXT_LINES = 12;

/** A question, what it is about, and each option behind the key that chooses it. */
export function questionLines(
  { stage, text, options, allow_freeform, context_display, review_target }: Question,
  { paint, width, contextLines = CONTEXT_LINES }: QuestionStyle,
): string[] {
  const context = plainText(context_display ?? '').trimEnd();
  const about = context === '' ? [] : context.split('\n').slice(0, contextLines);
  const left = context.split('\n').length - about.length;
  const keys = Math.max(0, ...options.map(({ key }) => key.length));
  const others = allow_freeform && options.length > 0 ? [paint.dim('    or any text')] : [];
  return [
    `${paint.yellow('?')} ${stage}  ${paint.bold(oneLine(text, Infinity))}`,
    ...about.map((line) => `  ${paint.dim('│')} ${line}`),
    ...(about.length > 0 && left > 0 ? [`  ${paint.dim(`│ … ${counted(left, 'more line')}`)}`] : []),
    ...(review_target ? [`  ${oneLine(review_target.label, width)}  ${plainText(review_target.url)}`] : []),
    ...options.map((option) => {
      const { key, description } = option;
      const more = description ? `  ${paint.dim(firstLineOf(description, width))}` : '';
      return `    ${paint.cyan(plainText(key).padEnd(keys))}  ${oneLine(optionName(option), width)}${more}`;
    }),
    ...others,
  ];
}
