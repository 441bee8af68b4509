import { EXPANSION, TOKEN, type Command, type Refuse, type Word } from './token-place.js';

/** Programs that take code as the operand of an option. A program that only the run knows may be one of them. */
const INTERPRETERS: readonly { names: RegExp; option: RegExp }[] = [
  {
    names: /^(?:(?:ba|da|a|k|mk|z|c|tc|fi|rba)?sh|su|runuser|script|flock)$/,
    option: /^(?:-\w*c\w*|--command(?:=[^]*)?)$/,
  },
  { names: /^(?:python[\d.]*|pypy\d*)$/, option: /^-\w*c\w*$/ },
  { names: /^(?:node|nodejs|deno|bun)$/, option: /^(?:-\w*[ep]|--(?:eval|print)(?:=[^]*)?)$/ },
  { names: /^(?:perl|ruby|php|lua)[\d.]*$/, option: /^-\w*[eEr]$/ },
  { names: new RegExp(`^(?:${TOKEN}|${EXPANSION})$`), option: /^-\w*[ce]\w*$/ },
];

/** Programs whose first operand is code, unless an option brought it. */
const FIRST_IS_CODE: readonly { names: RegExp; code: RegExp; takesOperand: RegExp; file: RegExp }[] = [
  { names: /^[gmn]?awk$/, code: /^-(?:e|-source)$/, takesOperand: /^-[vF]$/, file: /^(?:-f|-\w*f|--file)$/ },
  { names: /^g?sed$/, code: /^-(?:\w*e|-expression)$/, takesOperand: /^-l$/, file: /^-(?:\w*f|-file)$/ },
];

/** What may stand before the name of a command. */
const BEFORE_NAME =
  /^(?:!|\{|if|then|elif|else|while|until|do|time|command|builtin|exec|sudo|env|nohup|nice|-.*|[A-Za-z_]\w*\+?=[^]*)$/;
const DECLARES = /^(?:declare|typeset|local|export|readonly)$/;
const ASSIGNS = /^[A-Za-z_]\w*\+?=/;
const TAKES_NAMES = /^(?:unset|read|mapfile|readarray|getopts)$/;
const JOINS_OPERANDS = /^(?:eval|watch|parallel|alias)$/;
const SSH_TAKES_OPERAND = /^-\w*[bcDEeFIiJLlmOopQRSWw]$/;
/** Builtins that take a file for a script, which may be their standard input. */
const READS_A_FILE = /^(?:source|\.)$/;
const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** Refuses the tokens in what the programs of a pipeline read once more as code. */
export function refuseCode(pipeline: readonly Command[], refuse: Refuse): void {
  let reader: Command | undefined;
  for (const command of pipeline.toReversed()) {
    refuseOperandsOfOptions(command, refuse);
    refuseFirstOperand(command, refuse);
    refuseByName(command, refuse);
    if (reader) all(command.words, refuse, `in what ${nameOf(reader)} reads as its script`);
    if (readsScript(command)) reader = command;
    if (reader) for (const token of command.documents) refuse(token, `in what ${nameOf(reader)} reads as its script`);
  }
}

function refuseOperandsOfOptions({ words }: Command, refuse: Refuse): void {
  for (const { names, option } of INTERPRETERS) {
    const at = words.findIndex((word) => names.test(base(word)));
    if (at === -1) continue;
    const operands = words.slice(at + 1);
    const code = operands.findIndex(({ text }) => option.test(text));
    operands.forEach((word, place) => {
      // A whole word is the code itself, and its author wants it executed.
      const isPart = code !== -1 && place >= code && word.text !== TOKEN;
      const isAttached = /^-\w/.test(word.text) && word.text.includes(TOKEN);
      if (isPart || isAttached) refuseWord(word, refuse, `in the code that ${shown(words[at]!)} reads`);
    });
  }
}

function refuseFirstOperand({ words }: Command, refuse: Refuse): void {
  for (const { names, code, takesOperand, file } of FIRST_IS_CODE) {
    const at = words.findIndex((word) => names.test(base(word)));
    if (at === -1) continue;
    const why = `in the code that ${shown(words[at]!)} reads`;
    let isFirst = true;
    for (let next = at + 1; next < words.length; next++) {
      const { text } = words[next]!;
      const operand = words[next + 1];
      if (code.test(text) || file.test(text)) {
        isFirst = false;
        if (code.test(text) && operand && operand.text !== TOKEN) refuseWord(operand, refuse, why);
        next++;
      } else if (takesOperand.test(text)) next++;
      else if (!text.startsWith('-') && isFirst) {
        isFirst = false;
        if (text !== TOKEN) refuseWord(words[next]!, refuse, why);
      }
    }
  }
  refuseRemote(words, refuse);
}

/** `ssh` hands its operands behind the host to a shell, one behind the other. */
function refuseRemote(words: readonly Word[], refuse: Refuse): void {
  all(remoteWords(words) ?? [], refuse, 'in the command that ssh hands to another shell');
}

/** What `ssh` executes elsewhere; `undefined` where there is no `ssh`. */
function remoteWords(words: readonly Word[]): readonly Word[] | undefined {
  const at = words.findIndex((word) => base(word) === 'ssh');
  if (at === -1) return undefined;
  let host = at + 1;
  while (words[host]?.text.startsWith('-')) host += SSH_TAKES_OPERAND.test(words[host]!.text) ? 2 : 1;
  return words.slice(host + 1);
}

function refuseByName({ words }: Command, refuse: Refuse): void {
  const at = words.findIndex(({ text }) => !BEFORE_NAME.test(text));
  if (at === -1) return;
  const operands = words.slice(at + 1);
  const { text: name } = words[at]!;
  if (JOINS_OPERANDS.test(name)) all(operands, refuse, `in the code that ${name} reads`);
  else if (name === 'trap') all(operands.slice(0, 1), refuse, 'in the code that trap keeps');
  else if (name === 'let') all(operands, refuse, 'in arithmetic', true);
  else if (TAKES_NAMES.test(name)) all(operands, refuse, `where ${name} takes a name`);
  else if (DECLARES.test(name)) refuseDeclared(name, operands, refuse);
  else if (name === 'printf' && operands[0]?.text === '-v')
    all(operands.slice(1, 2), refuse, 'where printf takes a name');
  else if ((name === '[' || name === 'test') && operands[0]?.text === '-v') {
    all(operands, refuse, `where ${name} takes a name`);
  }
}

function refuseDeclared(name: string, operands: readonly Word[], refuse: Refuse): void {
  const isRead = operands.some(({ text }) => /^-\w*[aAin]/.test(text));
  for (const word of operands) {
    if (isRead || !ASSIGNS.test(word.text)) refuseWord(word, refuse, `where ${name} reads more than a text`);
  }
}

/** In `[[ … ]]` numbers are expressions, and names are evaluated. */
export function refuseInTest({ words }: Command, refuse: Refuse): void {
  const calculates = words.some(({ text }) => CALCULATES.test(text));
  const takesName = words.some(({ text }) => /^-[vR]$/.test(text));
  if (calculates || takesName) all(words, refuse, 'in a comparison of numbers by [[ ]]', true);
}

/**
 * Whether a program may take its script from its standard input. Which operands and options keep an interpreter from it
 * is not told apart: a file may be `/dev/stdin`.
 */
function readsScript({ words }: { words: readonly Word[] }): boolean {
  const remote = remoteWords(words);
  if (remote?.length === 0) return true;
  return readerIn(remote ?? words) !== undefined;
}

/** A program that only the run knows is one where its name stands. */
function readerIn(words: readonly Word[]): Word | undefined {
  const name = words.find(({ text }) => !BEFORE_NAME.test(text));
  return words.find(
    (word) => isReader(base(word)) && (word === name || !(word.text === TOKEN || word.text === EXPANSION)),
  );
}

function isReader(name: string): boolean {
  return name === 'ssh' || READS_A_FILE.test(name) || INTERPRETERS.some(({ names }) => names.test(name));
}

function nameOf({ words }: Command): string {
  const reads = readerIn(words);
  return reads ? shown(reads) : 'another program';
}

function shown(word: Word): string {
  const name = base(word);
  return name === TOKEN || name === EXPANSION ? 'another program' : name;
}

function base({ text }: Word): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

function all(words: readonly Word[], refuse: Refuse, why: string, isCalculated?: boolean): void {
  for (const word of words) refuseWord(word, refuse, why, isCalculated);
}

function refuseWord({ tokens }: Word, refuse: Refuse, why: string, isCalculated?: boolean): void {
  for (const token of tokens) refuse(token, why, isCalculated);
}
