import { ConditionSyntaxError } from './condition-syntax-error.js';
import { tokenize } from './tokenize.js';

/**
 * What is wrong with a condition in which a word begins with a parenthesis: its author means to group, and the condition
 * would be about a key of that name. Stored runs may hold such a condition, so compiling one is no error.
 */
export function parenthesisIn(text: string): ConditionSyntaxError | undefined {
  if (!text.includes('(')) return undefined;
  const found = tokenize(text).find((token) => token.type === 'word' && token.text.startsWith('('));
  if (!found) return undefined;
  return new ConditionSyntaxError(
    'there are no parentheses; && binds tighter than ||, so write "a && b || a && c", and put a value that begins with "(" in quotes',
    found.at,
  );
}
