import { assigned, baseName, isDynamic, isOption, possibleNames } from './command-names.js';
import { isExecuted, isObeyed } from './evaluators.js';
import { TOKEN, type ShellCommand, type ReadScript, type Word } from './token-place.js';

/** Builtins that take names of variables. A name may have a subscript, and that is evaluated. */
const TAKES_NAMES = /^(?:read|unset|getopts|mapfile|readarray)$/;
const DECLARES = /^(?:declare|typeset|local|export|readonly)$/;
const MAKES_ARRAYS = /^-\w*[aA]/;
const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** A word of a command that a shell evaluates, or that has it evaluate another, as a sentence ends: "lets …". */
export function evaluatedIn(command: ShellCommand, { arrays }: ReadScript): string | undefined {
  const { words, others } = command;
  for (const word of [...words, ...others]) {
    const variable = assigned(word) ?? word.text;
    if (/^\w*\[(?!\d*\]).*\]\+?=/s.test(word.text)) return 'calculates a subscript';
    if (!/^[A-Za-z_]\w*$/.test(variable)) continue;
    if (isExecuted(variable) && (isDynamic(word.text) || variable === word.text)) return `uses ${variable}`;
    if (isObeyed(variable) && word.text.includes(TOKEN)) return `uses ${variable}`;
  }
  const names = possibleNames(command);
  for (const [index, at] of names.entries()) {
    const name = words[at]!.text;
    if (isEvaluating(name, words.slice(at + 1, names[index + 1]), arrays)) {
      return `uses ${name} with names or numbers that only the run knows`;
    }
  }
  return undefined;
}

/** What takes an operator, an option or an assignment from any of several words that a value may become. */
export function splitIn(command: ShellCommand): string | undefined {
  const { words } = command;
  const names = possibleNames(command);
  for (const [index, at] of names.entries()) {
    const name = words[at]!.text;
    const operands = words.slice(at + 1, names[index + 1]);
    if (name === 'printf' && isFormatOpen(operands)) return name;
    if ((name === '[' || name === 'test') && operands.some(({ splits }) => splits)) return name;
  }
  const launcher = words.findIndex(({ text }) => /^(?:env|sudo|doas)$/.test(baseName(text)));
  const isOfLauncher = (word: Word): boolean =>
    baseName(words[launcher]!.text) === 'env' || assigned(word) !== undefined || isOption(word.text);
  const isSplit = launcher !== -1 && words.slice(launcher + 1).some((word) => word.splits && isOfLauncher(word));
  return isSplit ? words[launcher]!.text : undefined;
}

/** Whether an option may stand where the format of printf does. */
function isFormatOpen([first, second]: readonly Word[]): boolean {
  return first?.splits === true || (/^-/.test(first?.text ?? '') && second?.splits === true);
}

function isEvaluating(name: string, operands: readonly Word[], arrays: ReadScript['arrays']): boolean {
  const texts = operands.map(({ text }) => text);
  const first = texts[0] ?? '';
  if (TAKES_NAMES.test(name) || (name === 'wait' && texts.some((text) => /^-\w*p/.test(text))))
    return texts.some(isOpen);
  if (DECLARES.test(name)) return isEvaluatingDeclaration(operands, arrays);
  if (name === 'printf') {
    if (first.startsWith('-v')) return isOpen(first) || isOpen(texts[1] ?? '');
    return isDynamic(first.slice(0, 1)) && texts.length > 1;
  }
  if (name !== 'test' && name !== '[' && name !== '[[') return false;
  // In [[ ]] numbers are expressions. What is compared with what is certain only where an operator stands between two values.
  if (texts.some((text) => (name === '[[' ? CALCULATES : /^-[vR]$/).test(text))) return texts.some(isOpen);
  return name !== '[[' && texts.some((text, at) => isDynamic(text) && isDynamic(texts[at + 1] ?? ''));
}

function isEvaluatingDeclaration(operands: readonly Word[], arrays: ReadScript['arrays']): boolean {
  const makesArrays = operands.some(({ text }) => MAKES_ARRAYS.test(text));
  return operands.some((word) => {
    if (isOption(word.text) || !isDynamic(word.text)) return false;
    const variable = assigned(word);
    return makesArrays || variable === undefined || arrays.has(variable);
  });
}

/** The arrays that builtins make. */
export function arraysMadeBy({ words }: ShellCommand): string[] {
  const isMade =
    words.some(({ text }) => MAKES_ARRAYS.test(text)) || words.some(({ text }) => /^(?:mapfile|readarray)$/.test(text));
  return isMade ? words.map((word) => assigned(word) ?? word.text) : [];
}

/** Whether only the run knows which variable this is: a part of the name, or what its subscript comes to. */
function isOpen(text: string): boolean {
  return isDynamic(text) || /\[(?!\d*\]|[@*]\])/.test(text);
}
