import { nearestName } from '#libs/kernel';
import { type Severity } from '../../diagnostics/diagnostic.js';
import { quote } from '../../diagnostics/wording.js';
import { type TemplateScope } from '../template-scope.js';
import { INPUT_VARIABLES, variableOfInput } from './script-variables.js';
import { type ScriptToken } from './script-tokens.js';

/** The rule that reports what looks like a token of a script and is none. */
export const SCRIPT_TOKEN_UNKNOWN = 'script_token_unknown';

/** The rule that reports a variable in a test that may become more than one word of it. */
export const SCRIPT_VARIABLE_UNQUOTED = 'script_variable_unquoted';

/** A word of a script that does not mean what its author may have meant. It stands between `from` and `to`. */
export interface DoubtfulWord {
  from: number;
  to: number;
  message: string;
  fix: string;
  severity: Severity;
}

const MAX_WORDS = 20;
const BRACES = /(?<!\$)\{\{([^{}\n]{1,200})\}\}/g;
/** Roots of tokens and what is taken for them, a member, and more than a token may have. */
const ALMOST = /^\W*(goal|inputs?|vars?|variables?)\b(?:\.([\w-]+))?/;
const NAME = /^\s*([A-Za-z_][\w-]*)\s*(?:\|.*)?$/;
const ROOTS: Readonly<Record<string, string>> = { input: 'inputs', var: 'vars', variable: 'vars', variables: 'vars' };
const TOKENS = 'A script takes {{ goal }}, {{ inputs.NAME }} and {{ vars.NAME }}, without filters';

/** What stands in braces and is no token. Braces mean something to many programs, so an unknown name is only a hint. */
export function* almostTokens(
  text: string,
  tokens: readonly ScriptToken[],
  { what, language, scope }: { what: string; language: string; scope: TemplateScope | undefined },
): Generator<DoubtfulWord> {
  const known = new Set(tokens.map(({ from }) => from));
  let found = 0;
  for (const { 0: written, 1: inside = '', index: from } of text.matchAll(BRACES)) {
    if (known.has(from)) continue;
    const near = meant(inside, scope);
    const isName = NAME.test(inside) && language !== 'python';
    if (near === undefined && !isName) continue;
    const fix = near === undefined ? `${TOKENS}.` : `Write ${near}. ${TOKENS}.`;
    const message = `${quote(written)} in ${what} is no token, and stays as it is written.`;
    yield { from, to: from + written.length, message, fix, severity: near === undefined ? 'info' : 'warning' };
    if (++found === MAX_WORDS) return;
  }
}

function meant(inside: string, scope: TemplateScope | undefined): string | undefined {
  const [, root, member] = ALMOST.exec(inside) ?? [];
  if (root === 'goal') return '{{ goal }}';
  if (root !== undefined && member !== undefined) return `{{ ${ROOTS[root] ?? root}.${member} }}`;
  const name = NAME.exec(inside)?.[1];
  if (name === undefined || !scope) return undefined;
  if (Object.hasOwn(scope.inputs, name)) return `{{ inputs.${name} }}`;
  return Object.hasOwn(scope.vars, name) ? `{{ vars.${name} }}` : undefined;
}

/** Variables of inputs that no input fills, where they have no default. */
export function* unfilledVariables(text: string, what: string, inputs: readonly string[]): Generator<DoubtfulWord> {
  const known = new Set(inputs.map(variableOfInput));
  const found = new Set<string>();
  for (const { 0: name, index: from } of text.matchAll(INPUT_VARIABLES)) {
    const to = from + name.length;
    if (known.has(name) || found.has(name) || /^:?[-=+?]/.test(text.slice(to, to + 2))) continue;
    found.add(name);
    const near = nearestName(name, known);
    const fix = near === undefined ? 'Give the input with -I, or a default in [run.inputs].' : `Did you mean $${near}?`;
    yield { from, to, message: `No input fills $${name} in ${what}.`, fix, severity: 'warning' };
    if (found.size === MAX_WORDS) return;
  }
}

const COMMAND_BEGINS = /(?:^|[\n;&|(]|\b(?:if|elif|while|until|then|do|else)[ \t]|[!{][ \t])[ \t]{0,50}/;
const OTHER_WORDS = /(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'|[^"'\n;&|$]|\$(?!\{?RUNYARD_)){0,100}?/;
const UNQUOTED = new RegExp(
  `${COMMAND_BEGINS.source}(?:\\[|test)[ \\t]${OTHER_WORDS.source}\\$\\{?(RUNYARD_(?:GOAL|INPUT_[A-Z0-9_]+))`,
  'g',
);

/** Variables of values in `[` and `test` outside of quotes: a shell takes an operator, and executes, what they hold. */
export function* unquotedVariables(text: string, what: string): Generator<DoubtfulWord> {
  let found = 0;
  for (const { 0: written, 1: name = '', index } of text.matchAll(UNQUOTED)) {
    const to = index + written.length;
    const message = `$${name} in a test of ${what} is not in quotes, so that a value can become code.`;
    yield { from: to - name.length, to, message, fix: `Put it in double quotes: "$${name}".`, severity: 'warning' };
    if (++found === MAX_WORDS) return;
  }
}
