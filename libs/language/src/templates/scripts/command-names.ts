import { EXPANSION, TOKEN, type ShellCommand, type Word } from './token-place.js';

const RESERVED = '\\{|if|then|elif|else|while|until|do|time';
const LAUNCHERS =
  'command|builtin|exec|nohup|nice|sudo|doas|env|timeout|setsid|stdbuf|npx|bunx|uv|poetry|pipenv|bundle|run';
/** What may stand before the name of a command, and leaves it one. */
const BEFORE_NAME = new RegExp(`^(?:!|${RESERVED}|${LAUNCHERS}|\\d+[smhd]?|[A-Za-z_]\\w*\\+?=[^]*)$`);
/** Behind these another command begins, wherever they stand. */
const BEGINS = new RegExp(`^(?:${RESERVED})$`);

/** Whether a command begins behind a word, which itself is a part of the shell's language. */
export function isReserved(text: string): boolean {
  return text === '!' || BEGINS.test(text);
}

/** Where a command's name stands, if only plain words are before it. */
export function nameAt({ words }: ShellCommand): number {
  return words.findIndex(({ text }) => !BEFORE_NAME.test(text));
}

/** Where names of commands may stand, also behind the options of a program that starts another. */
export function possibleNames({ words }: ShellCommand): number[] {
  const found: number[] = [];
  let isBefore = true;
  words.forEach(({ text }, at) => {
    const isName = isBefore && !BEFORE_NAME.test(text) && !isOption(text);
    if (isName) found.push(at);
    isBefore = BEGINS.test(text) || (isBefore && !isName);
  });
  return found;
}

/** The name of a program without its folder. */
export function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

export function isOption(text: string): boolean {
  return /^[-+]/.test(text);
}

/** Whether a part of a word is known to the run alone. */
export function isDynamic(text: string): boolean {
  return text.includes(TOKEN) || text.includes(EXPANSION);
}

/** The variable that a word gives a value to, if it is such a word. */
export function assigned({ text }: Word): string | undefined {
  return /^([A-Za-z_]\w*)\+?=/.exec(text)?.[1];
}
