import { assertNever, type Json } from '#libs/kernel';
import { type Clause, type Condition, type ConditionScope, type NumericComparison } from './condition.js';
import { readNumber } from './numbers.js';

const CONTEXT_PREFIX = 'context.';

/** Whether a condition holds. The empty condition always does; a missing value reads as the empty text. */
export function evaluate(condition: Condition, scope: ConditionScope): boolean {
  if (condition.anyOf.length === 0) return true;
  return condition.anyOf.some((clauses) => clauses.every((clause) => holds(clause, scope) !== clause.negated));
}

function holds({ key, test }: Clause, scope: ConditionScope): boolean {
  const value = valueOf(key, scope);
  switch (test.is) {
    case 'truthy':
      return isTruthy(textOf(value));
    case 'equal':
      return textOf(value) === test.text;
    case 'different':
      return textOf(value) !== test.text;
    case 'greater':
    case 'less':
    case 'at least':
    case 'at most':
      return compares(test.is, readNumber(textOf(value)), test.bound);
    case 'containing':
      return contains(value, test.text);
    case 'matching':
      return test.pattern.matcher(textOf(value)).find();
    default:
      return assertNever(test);
  }
}

function valueOf(key: string, scope: ConditionScope): Json | undefined {
  if (key === 'outcome') return scope.outcome;
  if (key === 'preferred_label') return scope.preferredLabel;
  if (!key.startsWith(CONTEXT_PREFIX)) return scope.lookup(key);
  return scope.lookup(key) ?? scope.lookup(key.slice(CONTEXT_PREFIX.length));
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isTruthy(text: string): boolean {
  return text !== '' && text !== 'false' && text !== '0';
}

/** A list contains what one of its elements reads as; anything else contains parts of its text. */
function contains(value: Json | undefined, text: string): boolean {
  if (Array.isArray(value)) return value.some((element) => textOf(element) === text);
  return textOf(value).includes(text);
}

function compares(comparison: NumericComparison, left: number | undefined, right: number | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  switch (comparison) {
    case 'greater':
      return left > right;
    case 'less':
      return left < right;
    case 'at least':
      return left >= right;
    case 'at most':
      return left <= right;
    default:
      return assertNever(comparison);
  }
}
