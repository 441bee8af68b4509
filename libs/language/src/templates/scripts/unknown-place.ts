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
  { why, isCalculated }: Extract<TokenPlace, { kind: 'unknown' }>,
  { what, language, span }: { what: string; language: string; span: Span },
): Finding {
  const written = root === 'goal' ? root : `${root}.${name}`;
  const message = `The value of ${written} cannot be quoted in ${what}, because it stands ${why}.`;
  return { message, span, fix: fixFor(root, name, language === 'python', isCalculated) };
}

function fixFor(root: ScriptToken['root'], name: string, isPython: boolean, isCalculated = false): string {
  if (root !== 'goal' && root !== 'inputs') {
    return `Give it to a variable on a line of its own, value={{ ${root}.${name} }}, and use that.`;
  }
  const variable = root === 'goal' ? GOAL_VARIABLE : variableOfInput(name);
  if (isPython) return `Read it from the environment: os.environ["${variable}"].`;
  if (isCalculated)
    return `Check that the variable $${variable}, which every command gets, is a number, and use it there.`;
  return `Use the variable $${variable} there, which every command gets; in code for another program, write it in single quotes, so that the program reads it itself.`;
}
