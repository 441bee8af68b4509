import { type Value } from '@huggingface/jinja';
import { type Filter } from './filter.js';
import { templateListOf, pairsOf, templateTextOf, wrap } from './values.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const escape: Filter = (value) => wrap(templateTextOf(value).replace(/[&<>"']/g, (sign) => ENTITIES[sign]!));

/** Filters that write a text for HTML or for an address. Nothing is escaped unless it is asked for. */
export const markupFilters = {
  escape,
  e: escape,

  /** A text with its slashes, or the pairs of a map as a query. */
  urlencode(value) {
    const isPairs = value.value instanceof Map || Array.isArray(value.value);
    if (!isPairs) return wrap(quoted(templateTextOf(value)).replaceAll('%2F', '/'));
    const pairs = value.value instanceof Map ? pairsOf(value) : templateListOf(value);
    return wrap(pairs.map(parameter).join('&'));
  },
} satisfies Record<string, Filter>;

function parameter(pair: Value): string {
  const [name, value] = templateListOf(pair);
  if (!name || !value) throw new Error('urlencode takes a text, a map, or a list of pairs');
  return `${quoted(templateTextOf(name))}=${quoted(templateTextOf(value))}`;
}

/** Everything but letters, digits and `_.-~`, as Python does it. */
function quoted(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
