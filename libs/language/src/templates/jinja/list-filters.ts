import { type Value } from '@huggingface/jinja';
import { type Filter, type Spend } from './filter.js';
import { compare, itemsOf, lengthOf, listOf, memberOf, numberOf, pairsOf, textOf, wrap, wrapList } from './values.js';

export const listFilters = {
  length: (value) => wrap(lengthOf(value)),
  count: (value) => wrap(lengthOf(value)),
  list: (value, _, spend) => wrapList(itemsOf(value, spend)),
  first: (value) => itemAt(value, 0),
  last: (value) => itemAt(value, -1),
  items: (value) => wrapList(pairsOf(value)),
  dictsort: (value, _, spend) => wrapList(sorted(pairsOf(value), (pair) => caseless(listOf(pair)[0]!), spend)),
  unique: (value) => wrapList([...new Map(listOf(value).map((item) => [textOf(item), item])).values()]),
  min: (value, _, spend) => sorted(listOf(value), caseless, spend)[0] ?? wrap(undefined),
  max: (value, _, spend) => sorted(listOf(value), caseless, spend).at(-1) ?? wrap(undefined),
  sum: (value) => wrap(listOf(value).reduce((sum, item) => sum + numberOf(item), 0)),

  reverse(value) {
    if (typeof value.value === 'string') return wrap([...value.value].reverse().join(''));
    return wrapList(listOf(value).toReversed());
  },

  join(value, args, spend) {
    const [items, separator] = [itemsOf(value, spend), args.text(0, 'separator') ?? ''];
    spend(items.length * separator.length);
    return wrap(items.map(textOf).join(separator));
  },

  sort(value, args, spend) {
    const [descending, exact] = [args.flag(0, 'reverse'), args.flag(1, 'case_sensitive')];
    const items = sorted(listOf(value), exact ? (item) => item : caseless, spend);
    return wrapList(descending ? items.reverse() : items);
  },

  map(value, args) {
    const attribute = args.text(0, 'attribute') ?? '';
    const missing = args.get(1, 'default') ?? wrap(undefined);
    return wrapList(listOf(value).map((item) => memberOf(item, attribute) ?? missing));
  },
} satisfies Record<string, Filter>;

function itemAt(value: Value, at: number): Value {
  const item = typeof value.value === 'string' ? memberOf(value, at) : listOf(value).at(at);
  return item ?? wrap(undefined);
}

/** In the order of their keys. Each is compared with a few others, as many as halving takes. */
function sorted(items: readonly Value[], keyOf: (item: Value) => Value, spend: Spend): Value[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const size = keyed.reduce((sum, { key }) => sum + (typeof key.value === 'string' ? key.value.length : 1), 0);
  spend(size * Math.ceil(Math.log2(items.length + 1)));
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function caseless(value: Value): Value {
  return typeof value.value === 'string' ? wrap(value.value.toLowerCase()) : value;
}
