import { type Value } from '@huggingface/jinja';
import { type Spend } from './filter.js';
import { contains, repeat } from './texts.js';
import { areEqual, compare, numberOf, templateTextOf, wrap, wrapFloat, wrapList } from './values.js';

/** What an operator gives for two values; `undefined` when it is arithmetic, which the interpreter does. */
export function operate(operator: string, left: Value, right: Value, spend: Spend): Value | undefined {
  const [a, b] = [left.value, right.value];
  if (typeof a === 'function' || typeof b === 'function') throw new Error('a function is no value to calculate with');
  switch (operator) {
    case '==':
      return wrap(areEqual(left, right));
    case '!=':
      return wrap(!areEqual(left, right));
    case 'in':
      return wrap(isIn(left, right, spend));
    case 'not in':
      return wrap(!isIn(left, right, spend));
    case '~':
      return wrap(templateTextOf(left) + templateTextOf(right));
    case '+':
      if (Array.isArray(a) && Array.isArray(b)) return wrapList([...a, ...b]);
      return typeof a === 'string' || typeof b === 'string'
        ? wrap(templateTextOf(left) + templateTextOf(right))
        : arithmetic(left, right);
    case '*':
      if (typeof a === 'string' && typeof b === 'number') return wrap(repeat(a, b, spend));
      return arithmetic(left, right);
    case '/':
    case '//':
      if (b === 0) throw new Error('nothing can be divided by zero');
      return arithmetic(left, right);
    case '%':
      if (b === 0) throw new Error('nothing can be divided by zero');
      return remainder(left, right);
    case '<':
      return wrap(compare(left, right) < 0);
    case '<=':
      return wrap(compare(left, right) <= 0);
    case '>':
      return wrap(compare(left, right) > 0);
    case '>=':
      return wrap(compare(left, right) >= 0);
    default:
      return arithmetic(left, right);
  }
}

function arithmetic(left: Value, right: Value): undefined {
  numberOf(left);
  numberOf(right);
}

/** As in Python, with the sign of the divisor: `-7 % 3` is 2. */
function remainder(left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)];
  const rest = a % b;
  const signed = rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
  return [left, right].some(({ type }) => type === 'FloatValue') ? wrapFloat(signed) : wrap(signed);
}

export function isIn(item: Value, { value: container }: Value, spend: Spend): boolean {
  if (typeof container === 'string') return contains(container, templateTextOf(item), spend);
  if (Array.isArray(container)) return container.some((other) => areEqual(item, other));
  if (container instanceof Map) return container.has(templateTextOf(item));
  throw new Error('only texts, lists and maps have something in them');
}
