import { type Value } from '@huggingface/jinja';
import { type Arguments } from './arguments.js';
import { attributeOf } from './attribute-of.js';
import { type Filter, type Spend } from './filter.js';
import { caseless, sorted } from './sorted.js';
import { testNamed } from './tests.js';
import { areEqual, itemsOf, wrap, wrapList, wrapNamed } from './values.js';

/** Filters that choose items of a list, or put them together. */
export const selectFilters = {
  select: (value, args, spend) => chosen(value, spend, passes(args, spend)),
  reject: (value, args, spend) => chosen(value, spend, not(passes(args, spend))),
  selectattr: (value, args, spend) => chosen(value, spend, attributePasses(args, spend)),
  rejectattr: (value, args, spend) => chosen(value, spend, not(attributePasses(args, spend))),

  /** In the order of what they are grouped by, each group under `grouper` and `list`. */
  groupby(value, args, spend) {
    const path = required(args, 'groupby');
    const missing = args.get(1, 'default') ?? wrap(undefined);
    const exact = args.flag(2, 'case_sensitive');
    const of = (item: Value): Value => attributeOf(item, path) ?? missing;
    const keyOf = (item: Value): Value => (exact ? of(item) : caseless(of(item)));
    const groups: { key: Value; items: Value[] }[] = [];
    for (const item of sorted(itemsOf(value, spend), keyOf, spend)) {
      const last = groups.at(-1);
      if (last && areEqual(last.key, keyOf(item))) last.items.push(item);
      else groups.push({ key: keyOf(item), items: [item] });
    }
    return wrapList(groups.map(({ items }) => wrapNamed({ grouper: of(items[0]!), list: wrapList(items) })));
  },
} satisfies Record<string, Filter>;

type Choice = (item: Value) => boolean;

function chosen(value: Value, spend: Spend, choice: Choice): Value {
  return wrapList(itemsOf(value, spend).filter(choice));
}

function not(choice: Choice): Choice {
  return (item) => !choice(item);
}

function passes(args: Arguments, spend: Spend): Choice {
  return testNamed(args.text(0, 'test'), args.get(1, 'value'), spend);
}

function attributePasses(args: Arguments, spend: Spend): Choice {
  const path = required(args, 'selectattr and rejectattr');
  const test = testNamed(args.text(1, 'test'), args.get(2, 'value'), spend);
  return (item) => test(attributeOf(item, path));
}

function required(args: Arguments, filter: string): string {
  const path = args.text(0, 'attribute');
  if (path === undefined) throw new Error(`${filter} need the name of an attribute`);
  return path;
}
