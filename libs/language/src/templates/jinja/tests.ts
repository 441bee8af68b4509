import { Environment, type Value } from '@huggingface/jinja';
import { quote } from '../../diagnostics/wording.js';
import { type Spend } from './filter.js';
import { isIn } from './operators.js';
import { areEqual, compare, ITEM, lengthOf, numberOf, wrap } from './values.js';

type Comparison = (value: Value, operand: Value, spend: Spend) => boolean;

// Comparing two values takes no more than going through them, which is paid for.
const different = (value: Value, operand: Value): boolean => !areEqual(value, operand);
const less = (value: Value, operand: Value): boolean => compare(value, operand) < 0;
const greater = (value: Value, operand: Value): boolean => compare(value, operand) > 0;
const atMost = (value: Value, operand: Value): boolean => !greater(value, operand);
const atLeast = (value: Value, operand: Value): boolean => !less(value, operand);

/** Tests that compare a value with another one, under all their names. */
const comparisons: ReadonlyMap<string, Comparison> = new Map(
  Object.entries<Comparison>({
    ...{ equalto: areEqual, eq: areEqual, '==': areEqual, sameas: areEqual },
    ...{ ne: different, '!=': different },
    ...{ lt: less, lessthan: less, '<': less, gt: greater, greaterthan: greater, '>': greater },
    ...{ le: atMost, '<=': atMost, ge: atLeast, '>=': atLeast },
    divisibleby: (value, operand) => numberOf(value) % numberOf(operand) === 0,
    in(value, operand, spend) {
      if (typeof operand.value !== 'string') spend(ITEM * lengthOf(operand));
      return isIn(value, operand, spend);
    },
  }),
);

/** What a filter such as `select` asks of each item: the test of that name, or whether the item is true. */
export function testNamed(
  name: string | undefined,
  operand: Value | undefined,
  spend: Spend,
): (value: Value | undefined) => boolean {
  if (name === undefined) return (value) => value?.__bool__().value ?? false;
  const comparison = comparisons.get(name);
  if (comparison) {
    if (!operand) throw new Error(`the test ${quote(name)} compares with a value, which is missing`);
    return (value) => value !== undefined && comparison(value, operand, spend);
  }
  const test = Environment.TESTS.get(name);
  if (!test) throw new Error(`there is no test ${quote(name)}`);
  return (value) => test(value ?? wrap(undefined));
}
