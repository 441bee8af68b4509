import { Environment, Interpreter, type Node, type Value } from '@huggingface/jinja';
import { type Spend } from './filter.js';

/** What an item of a list takes, in characters. */
export const ITEM = 128;

const interpreter = new Interpreter();
const [yes, no] = [true, false].map((value) => new Environment().set('value', value));

/** Each `undefined` is a value of its own: it may have a name. */
export function wrap(value: string | number | boolean | null | undefined): Value {
  if (typeof value === 'string') return literal({ type: 'StringLiteral', value });
  if (typeof value === 'number')
    return Number.isInteger(value) ? literal({ type: 'IntegerLiteral', value }) : wrapFloat(value);
  if (typeof value === 'boolean') return value ? yes! : no!;
  return literal(value === null ? { type: 'Comment', value: '' } : undefined);
}

/** A number that prints with its fraction, be it zero. */
export function wrapFloat(value: number): Value {
  return literal({ type: 'FloatLiteral', value });
}

export function wrapList(items: Value[]): Value {
  return Object.assign(literal({ type: 'ArrayLiteral', value: [] }), { value: items });
}

function literal(node: Node | undefined): Value {
  return interpreter.evaluate(node, interpreter.global);
}

/** `none` has no value either, but is defined. */
export function isUndefined({ type }: Value): boolean {
  return type === 'UndefinedValue';
}

/** What a value prints as. A function prints as nothing it says about itself. */
export function templateTextOf(wrapped: Value): string {
  const { value } = wrapped;
  if (typeof value === 'string') return value;
  if (value === undefined) return isUndefined(wrapped) ? '' : 'none';
  if (typeof value === 'function') throw new Error('a function has no text');
  return wrapped.toString();
}

/** The items of a list, or the keys of a map. */
export function templateListOf({ value }: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return Array.from(value.keys(), wrap);
  throw new Error('this takes a list');
}

/** As {@link templateListOf}; a text gives its characters, which take more than the text. */
export function itemsOf(wrapped: Value, spend: Spend): Value[] {
  const { value } = wrapped;
  if (typeof value !== 'string') return templateListOf(wrapped);
  spend(ITEM * value.length);
  return Array.from(value, wrap);
}

/** How many there are; a text has as many as it has characters. */
export function lengthOf(wrapped: Value): number {
  const { value } = wrapped;
  if (typeof value !== 'string') return templateListOf(wrapped).length;
  let length = 0;
  for (const _ of value) length++;
  return length;
}

/** The entries of a map, each as a list of two. */
export function pairsOf({ value }: Value): Value[] {
  if (!(value instanceof Map)) throw new Error('this takes a map');
  return Array.from(value, ([key, item]) => wrapList([wrap(key), item]));
}

export function numberOf({ value }: Value): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new Error('this takes a number');
}

/** Equal as in Python: numbers by value, texts by text, lists and maps by what is in them. */
export function areEqual({ value: a }: Value, { value: b }: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => areEqual(item, b[at]!));
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && areEqual(item, b.get(key)!));
  }
  const scalar = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);
  return scalar(a) === scalar(b);
}

/** The order of two texts or two numbers. Throws for any other two: they have none. */
export function compare(a: Value, b: Value): number {
  if (typeof a.value !== 'string' || typeof b.value !== 'string') return numberOf(a) - numberOf(b);
  return a.value < b.value ? -1 : Number(a.value > b.value);
}

const namesOfItems = new WeakMap<Value, readonly string[]>();

/** A list whose items have names as well as places, so that both `pair[0]` and `pair.name` are its members. */
export function wrapNamed(members: Readonly<Record<string, Value>>): Value {
  const list = wrapList(Object.values(members));
  namesOfItems.set(list, Object.keys(members));
  return list;
}

/** What a value holds under a key or at a place; nothing of what it can do. */
export function memberOf(wrapped: Value, key: unknown): Value | undefined {
  const { value } = wrapped;
  const named = namesOfItems.get(wrapped)?.indexOf(String(key)) ?? -1;
  if (named !== -1 && Array.isArray(value)) return value[named];
  if (value instanceof Map) return typeof key === 'string' ? value.get(key) : undefined;
  if (typeof key !== 'number') return undefined;
  if (Array.isArray(value)) return value.at(key);
  const character = typeof value === 'string' ? value.at(key) : undefined;
  return character === undefined ? undefined : wrap(character);
}

/** Plain data for JSON. */
export function plain({ value }: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  if (typeof value === 'function') throw new Error('a function is no data');
  return value ?? null;
}
