import { baseName, isDynamic, isOption, isReserved, nameAt, possibleNames } from './command-names.js';
import { arraysMadeBy, evaluatedIn, splitIn } from './evaluating-builtins.js';
import {
  EVALUATING_COMMANDS,
  EVALUATING_WITH,
  EVALUATORS,
  INTERPRETERS,
  PRINTS_VERSION,
  WRITES,
} from './evaluators.js';
import { EXPANSION, TOKEN, type ShellCommand, type ReadScript, type Word } from './token-place.js';

/** What is known of the options of an interpreter: those behind which its script may stand, and those that bring code. */
interface Kind {
  names: RegExp;
  standsAlone: RegExp;
  code: RegExp;
}

/** Behind the code of `-c`, and the module of `-m`, shells and Python take no more options. */
const SHELLS: Kind = { names: /sh$/, standsAlone: /^-[aefhiluvxs]*c?$/, code: /^-\w*c$/ };
const KINDS: readonly Kind[] = [
  SHELLS,
  { names: /^py/, standsAlone: /^-[uvxBcm]+$/, code: /^-\w*c$/ },
  { names: /^/, standsAlone: /^-[uvx]+$/, code: /^-(?:\w*[eEprR]|-eval|-print)/ },
];

const LONGEST_NAME = 40;
const IN_QUOTES = 'Put it in double quotes: [ "$x" = prod ]. Also variables of inputs need them there.';
const UNKNOWN = 'a program that only the run knows';

/** What in a script may read a text as code, and the tokens that it cannot get as code, whatever else is in the script. */
export interface Readers {
  /** Ends the sentence "because it stands in a script that …"; `undefined` where nothing reads code. */
  reason: string | undefined;
  /** What to do about it, where that is not to use a variable. */
  fix?: string;
  harmless: Set<number>;
}

/**
 * Names alone count, wherever they stand: a text comes to a program in more ways than anybody can list. Only what a
 * script of the author gets as arguments is that script's affair.
 */
export function readersIn(script: ReadScript): Readers {
  for (const command of script.commands) for (const name of arraysMadeBy(command)) script.arrays.add(name);
  const readers = script.commands.map((command) => readersOf(command));
  const called = readers.flat();
  const areUnknown = called.every((name) => name === UNKNOWN);
  const harmless = new Set<number>();
  script.commands.forEach((command, at) => {
    const passed = argumentsOfScript(command, readers[at]!.length, called.length === 1);
    for (const { tokens } of areUnknown ? [...passed, ...programOf(command)] : passed) {
      for (const token of tokens) harmless.add(token);
    }
  });
  const reason = reasonFor(script, called[0]);
  const splits = reason === undefined ? script.commands.map(splitIn).find((name) => name !== undefined) : undefined;
  if (splits === undefined) return { reason, harmless };
  return { reason: `gives ${splits} an expansion that may become several words`, fix: IN_QUOTES, harmless };
}

function reasonFor(script: ReadScript, reader: string | undefined): string | undefined {
  const called = reader ?? script.unread.map(readerInText).find((name) => name !== undefined);
  if (called !== undefined) return `calls ${called}, which may read it as code`;
  if (executesWritten(script)) return 'writes a file and executes one';
  if (script.isLost) return 'shells may read in more than one way';
  if (script.calculates) return 'has the shell evaluate what variables hold';
  for (const command of script.commands) {
    const reason = evaluatedIn(command, script);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function executesWritten({ commands, writes }: ReadScript): boolean {
  const writing = writes || commands.some(({ words }) => words.some(({ text }) => WRITES.has(baseName(text))));
  return (
    writing && commands.some((command) => possibleNames(command).some((at) => command.words[at]!.text.includes('/')))
  );
}

/** What in a command may read a text as code, one for each word that names it. */
function readersOf(command: ShellCommand): string[] {
  const { words, others } = command;
  const asks = words.length === 2 && PRINTS_VERSION.test(words.map(({ text }) => text).join(' '));
  const found = [...(asks ? [] : words), ...others]
    .map(({ text }) => readerNamedBy(text))
    .filter((name) => name !== undefined);
  for (const at of possibleNames(command)) {
    const { text } = words[at]!;
    if (isDynamicName(text)) found.push(UNKNOWN);
    else if (EVALUATING_COMMANDS.has(baseName(text))) found.push(baseName(text));
  }
  for (const name of new Set(words.map(({ text }) => baseName(text)))) {
    const patterns = EVALUATING_WITH.get(name);
    if (!patterns) continue;
    const lines = `\n${words.map(({ text }) => text).join('\n')}\n`;
    if (patterns.some((pattern) => pattern.test(lines))) found.push(name);
  }
  return found;
}

/** A name counts with a path and a version, and in `SHELL=sh`, `--shell=sh` and `{sh,-c}`. */
function readerNamedBy(text: string): string | undefined {
  return text
    .split(/[={},]/)
    .map(baseName)
    .find((name) => isIn(INTERPRETERS, name) || isIn(EVALUATORS, name));
}

function readerInText(text: string): string | undefined {
  const words = text.replace(/['"\\]/g, '').split(/[\s;&|()<>`$={},]+/);
  return words.find((word) => readerNamedBy(word) !== undefined || (word !== '.' && EVALUATING_COMMANDS.has(word)));
}

function isIn(names: Set<string>, name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  return names.has(name) || names.has(name.replace(/[\d.]+$/, ''));
}

function isDynamicName(text: string): boolean {
  return isDynamic(baseName(text)) || /^[./~].*[*?[]/.test(text) || (text.includes('{') && text.includes(','));
}

/** The name of a command, where it is a token: which program it is, its author leaves to the value. */
function programOf({ words }: ShellCommand): readonly Word[] {
  const at = words.findIndex(({ text }) => !isReserved(text));
  return words[at]?.text === TOKEN ? [words[at]] : [];
}

/** What a script of the author, or code that it has in a word, gets as arguments. */
function argumentsOfScript(command: ShellCommand, readers: number, isSole: boolean): readonly Word[] {
  const { words } = command;
  const at = nameAt(command);
  const name = words[at]?.text ?? '';
  const isInterpreter = isIn(INTERPRETERS, baseName(name));
  const isOfProject = /^[^/~].*\//.test(name) && !name.includes(TOKEN);
  if (!isInterpreter) return isOfProject && readers === 0 ? words.slice(at + 1) : [];
  if (readers > 1) return [];
  const kind = kindOf(baseName(name));
  const script = words.findIndex(({ text }, index) => {
    // Behind `--` is the script's name, or the code of `-c`. Only `-s` has none: the script is the input.
    if (text === '--' && index === at + 2 && kind === SHELLS) return words[at + 1]!.text === '-s';
    if (index <= at || !isPlain(text) || isOption(text)) return false;
    const before = words[index - 1]!.text;
    const isBehindOptions = index === at + 1 || before === '--' || kind.standsAlone.test(before);
    return isBehindOptions || (isPlain(before) && !isOption(before));
  });
  // Code in a word may write its arguments for whatever else reads code.
  const bringsCode = !isSole && words.slice(at + 1, script).some(({ text }) => kind.code.test(text));
  return script === -1 || bringsCode ? [] : words.slice(script + 1);
}

function kindOf(name: string): Kind {
  return KINDS.find(({ names }) => names.test(name))!;
}

/** A word that is there in every run, and is no token. */
function isPlain(text: string): boolean {
  return !text.includes(TOKEN) && text.replaceAll(EXPANSION, '') !== '';
}
