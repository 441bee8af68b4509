import { type Spend } from './filter.js';

/** Looking for a part compares it at every place; it mostly stops at the first letters. */
const LETTERS_A_UNIT = 16;

export function contains(text: string, part: string, spend: Spend): boolean {
  spend(searchOf(text, part));
  return text.includes(part);
}

/** Splits at a separator, or at white space when there is none. */
export function split(text: string, separator: string | undefined, spend: Spend): string[] {
  if (separator === '') throw new Error('an empty text separates nothing');
  spend(searchOf(text, separator ?? ' '));
  return separator === undefined ? (text.match(/\S+/g) ?? []) : text.split(separator);
}

export function replace(text: string, old: string, by: string, spend: Spend): string {
  spend(searchOf(text, old));
  const parts = text.split(old);
  spend(text.length + parts.length * by.length);
  return parts.join(by);
}

export function repeat(text: string, count: number, spend: Spend): string {
  const times = Math.max(0, count);
  spend(text.length * times);
  return text.repeat(times);
}

interface IndentOptions {
  first: boolean;
  blank: boolean;
}

/** Indents all lines, the first one and empty ones only when asked to. */
export function indent(text: string, width: number, options: IndentOptions, spend: Spend): string {
  const lines = text.split('\n');
  spend(text.length + lines.length * Math.max(0, width));
  const space = ' '.repeat(Math.max(0, width));
  return lines
    .map((line, at) => ((at > 0 || options.first) && (options.blank || line !== '') ? space + line : line))
    .join('\n');
}

interface TruncateOptions {
  /** May cut a word in two. */
  inWords: boolean;
  /** Marks that something is missing. */
  end: string;
}

/** At most `length` long. */
export function truncate(text: string, length: number, { inWords, end }: TruncateOptions): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, Math.max(0, length - end.length)).toWellFormed();
  const space = kept.lastIndexOf(' ');
  return (inWords || space === -1 ? kept : kept.slice(0, space)) + end;
}

interface WrapOptions {
  /** Cuts a word that is longer than a line. */
  inWords: boolean;
  separator: string;
}

/** Lines of at most `width` characters, broken between words; the lines of the text stay apart. */
export function wordWrap(text: string, width: number, { inWords, separator }: WrapOptions, spend: Spend): string {
  if (width < 1) throw new Error('a line has at least one character');
  const lines = text.split('\n').flatMap((line) => wrapped(line, width, inWords));
  spend(text.length + lines.length * separator.length);
  return lines.join(separator);
}

function wrapped(line: string, width: number, inWords: boolean): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.match(/\S+/g) ?? []) {
    for (const piece of inWords ? pieces(word, width) : [word]) {
      const longer = current === '' ? piece : `${current} ${piece}`;
      if (current !== '' && longer.length > width) lines.push(current);
      current = current !== '' && longer.length > width ? piece : longer;
    }
  }
  return [...lines, current];
}

function pieces(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  return Array.from({ length: Math.ceil(word.length / width) }, (_, at) => word.slice(at * width, (at + 1) * width));
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

export function titleCase(text: string): string {
  return text.replace(/[^-\s([{<]+/g, capitalize);
}

function searchOf(text: string, part: string): number {
  return text.length * (1 + part.length / LETTERS_A_UNIT);
}
