import { type Value } from '@huggingface/jinja';
import { Arguments } from './arguments.js';
import { type Filter } from './filter.js';
import { listFilters } from './list-filters.js';
import { textFilters } from './text-filters.js';
import { templateTextOf, wrap, wrapList } from './values.js';

/** What `value.name(…)` gives: the methods of Python that an author of templates may know. */
export const methods: ReadonlyMap<string, Filter> = new Map(
  Object.entries<Filter>({
    upper: textFilters.upper,
    lower: textFilters.lower,
    title: textFilters.title,
    capitalize: textFilters.capitalize,
    replace: textFilters.replace,
    split: textFilters.split,
    strip: textFilters.trim,
    lstrip: (value) => wrap(templateTextOf(value).trimStart()),
    rstrip: (value) => wrap(templateTextOf(value).trimEnd()),
    startswith: (value, args) => wrap(templateTextOf(value).startsWith(args.text(0, 'prefix') ?? '')),
    endswith: (value, args) => wrap(templateTextOf(value).endsWith(args.text(0, 'suffix') ?? '')),
    join(separator, args, spend) {
      const items = args.get(0, 'items') ?? wrapList([]);
      return listFilters.join(items, new Arguments([separator], new Map()), spend);
    },

    items: listFilters.items,
    keys: (value) => wrapList(Array.from(mapOf(value).keys(), wrap)),
    values: (value) => wrapList([...mapOf(value).values()]),
    get: (value, args) => mapOf(value).get(args.text(0, 'key') ?? '') ?? args.get(1, 'default') ?? wrap(null),
  }),
);

function mapOf({ value }: Value): ReadonlyMap<string, Value> {
  if (value instanceof Map) return value;
  throw new Error('this takes a map');
}
