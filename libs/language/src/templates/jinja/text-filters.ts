import { type Filter } from './filter.js';
import * as texts from './texts.js';
import { plain, templateTextOf, wrap, wrapList } from './values.js';

export const textFilters = {
  upper: onText((text) => text.toUpperCase()),
  lower: onText((text) => text.toLowerCase()),
  title: onText(texts.titleCase),
  capitalize: onText(texts.capitalize),
  trim: onText((text) => text.trim()),
  string: onText((text) => text),
  safe: (value) => value,

  wordcount: (value) => wrap(templateTextOf(value).match(/\S+/g)?.length ?? 0),

  replace: (value, args, spend) =>
    wrap(texts.replace(templateTextOf(value), args.text(0, 'old') ?? '', args.text(1, 'new') ?? '', spend)),

  indent(value, args, spend) {
    const options = { first: args.flag(1, 'first'), blank: args.flag(2, 'blank') };
    return wrap(texts.indent(templateTextOf(value), args.integer(0, 'width') ?? 4, options, spend));
  },

  truncate(value, args) {
    const [length, end] = [args.integer(0, 'length') ?? 255, args.text(2, 'end') ?? '...'];
    return wrap(texts.truncate(templateTextOf(value), length, { inWords: args.flag(1, 'killwords'), end }));
  },

  wordwrap(value, args, spend) {
    const [width, separator] = [args.integer(0, 'width') ?? 79, args.text(2, 'wrapstring') ?? '\n'];
    const inWords = args.get(1, 'break_long_words') === undefined || args.flag(1, 'break_long_words');
    return wrap(texts.wordWrap(templateTextOf(value), width, { inWords, separator }, spend));
  },

  split: (value, args, spend) =>
    wrapList(texts.split(templateTextOf(value), args.text(0, 'separator'), spend).map(wrap)),
  lines: (value) => wrapList(templateTextOf(value).split(/\r?\n/).map(wrap)),

  // More than ten spaces are ten, as JSON.stringify has it.
  tojson: (value, args) => wrap(JSON.stringify(plain(value), null, args.integer(0, 'indent'))),
} satisfies Record<string, Filter>;

function onText(change: (text: string) => string): Filter {
  return (value) => wrap(change(templateTextOf(value)));
}
