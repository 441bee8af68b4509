import { type Finding } from '../../diagnostics/finding.js';
import { type Span } from '../../source/source-text.js';
import { GOAL_VARIABLE, variableOfInput } from './script-variables.js';
import { type ScriptToken } from './script-tokens.js';
import { type TokenPlace } from './token-place.js';

/** The rule that reports a token in a place where no way of quoting its value is known to be right. */
export const SCRIPT_TOKEN_PLACE = 'script_token_place';

/** What is said about a token that stands where its value cannot be quoted. */
export function unknownPlace(
  { root, name }: ScriptToken,
  { why, fix }: Extract<TokenPlace, { kind: 'unknown' }>,
  { what, language, span }: { what: string; language: string; span: Span },
): Finding {
  const written = root === 'goal' ? root : `${root}.${name}`;
  const message = `The value of ${written} cannot be quoted in ${what}, because it stands ${why}.`;
  return { message, span, fix: fix ?? fixFor(root, name, language === 'python') };
}

function fixFor(root: ScriptToken['root'], name: string, isPython: boolean): string {
  if (root !== 'goal' && root !== 'inputs') {
    return `Give it to a script of its own as an argument, ./script.sh {{ ${root}.${name} }}, or use it in a node of its own.`;
  }
  const variable = root === 'goal' ? GOAL_VARIABLE : variableOfInput(name);
  if (isPython) return `Read it from the environment: os.environ["${variable}"].`;
  return `Write "$${variable}" instead, a variable that every command gets. In code for another shell, put single quotes around the code, so that no value becomes a part of it: sh -c 'echo "$${variable}"'.`;
}
