import { type Value } from '@huggingface/jinja';
import { attributeOf } from './attribute-of.js';
import { type Filter, type Spend } from './filter.js';
import { caseless, sorted } from './sorted.js';
import {
  ITEM,
  itemsOf,
  lengthOf,
  templateListOf,
  memberOf,
  numberOf,
  pairsOf,
  templateTextOf,
  wrap,
  wrapList,
} from './values.js';

export const listFilters = {
  length: (value) => wrap(lengthOf(value)),
  count: (value) => wrap(lengthOf(value)),
  list: (value, _, spend) => wrapList(itemsOf(value, spend)),
  first: (value) => itemAt(value, 0),
  last: (value) => itemAt(value, -1),
  items: (value) => wrapList(pairsOf(value)),
  dictsort: (value, _, spend) => wrapList(sorted(pairsOf(value), (pair) => caseless(templateListOf(pair)[0]!), spend)),
  unique: (value) => wrapList([...new Map(templateListOf(value).map((item) => [templateTextOf(item), item])).values()]),
  min: (value, _, spend) => sorted(templateListOf(value), caseless, spend)[0] ?? wrap(undefined),
  max: (value, _, spend) => sorted(templateListOf(value), caseless, spend).at(-1) ?? wrap(undefined),
  sum: (value) => wrap(templateListOf(value).reduce((sum, item) => sum + numberOf(item), 0)),

  reverse(value) {
    if (typeof value.value === 'string') return wrap([...value.value].reverse().join(''));
    return wrapList(templateListOf(value).toReversed());
  },

  join(value, args, spend) {
    const [items, separator] = [itemsOf(value, spend), args.text(0, 'separator') ?? ''];
    spend(items.length * separator.length);
    return wrap(items.map(templateTextOf).join(separator));
  },

  sort(value, args, spend) {
    const [descending, exact] = [args.flag(0, 'reverse'), args.flag(1, 'case_sensitive')];
    const items = sorted(templateListOf(value), exact ? (item) => item : caseless, spend);
    return wrapList(descending ? items.reverse() : items);
  },

  map(value, args) {
    const attribute = args.text(0, 'attribute') ?? '';
    const missing = args.get(1, 'default') ?? wrap(undefined);
    return wrapList(templateListOf(value).map((item) => attributeOf(item, attribute) ?? missing));
  },

  /** Rows of so many items; the last one is filled up when something is given to fill it with. */
  batch(value, args, spend) {
    const [items, size] = [itemsOf(value, spend), atLeastOne(args.integer(0, 'linecount'), 'linecount')];
    const rows = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
      items.slice(at * size, (at + 1) * size),
    );
    return wrapList(filled(rows, size, args.get(1, 'fill_with'), spend));
  },

  /** So many columns, of nearly the same length. */
  slice(value, args, spend) {
    const [items, count] = [itemsOf(value, spend), atLeastOne(args.integer(0, 'slices'), 'slices')];
    spend(ITEM * count);
    const [least, longer] = [Math.floor(items.length / count), items.length % count];
    const columns = Array.from({ length: count }, (_, at) => {
      const from = at * least + Math.min(at, longer);
      return items.slice(from, from + least + (at < longer ? 1 : 0));
    });
    return wrapList(filled(columns, longer === 0 ? least : least + 1, args.get(1, 'fill_with'), spend));
  },
} satisfies Record<string, Filter>;

function itemAt(value: Value, at: number): Value {
  const item = typeof value.value === 'string' ? memberOf(value, at) : templateListOf(value).at(at);
  return item ?? wrap(undefined);
}

/** Rows that are all as long as the longest; as they are where there is nothing to fill them with. */
function filled(rows: readonly Value[][], length: number, filler: Value | undefined, spend: Spend): Value[] {
  if (!filler) return rows.map(wrapList);
  return rows.map((row) => {
    const missing = Math.max(0, length - row.length);
    spend(ITEM * missing);
    return wrapList([...row, ...Array.from({ length: missing }, () => filler)]);
  });
}

function atLeastOne(number: number | undefined, name: string): number {
  if (number === undefined || number < 1) throw new Error(`${name} is to be a whole number from 1 on`);
  return number;
}
