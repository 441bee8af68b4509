import { type Value } from '@huggingface/jinja';
import { type Spend } from './filter.js';
import { compare, wrap } from './values.js';

/** In the order of their keys. Each is compared with a few others, as many as halving takes. */
export function sorted(items: readonly Value[], keyOf: (item: Value) => Value, spend: Spend): Value[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const size = keyed.reduce((sum, { key }) => sum + (typeof key.value === 'string' ? key.value.length : 1), 0);
  spend(size * Math.ceil(Math.log2(items.length + 1)));
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

/** What a value is sorted by where letters of both cases are the same. */
export function caseless(value: Value): Value {
  return typeof value.value === 'string' ? wrap(value.value.toLowerCase()) : value;
}
