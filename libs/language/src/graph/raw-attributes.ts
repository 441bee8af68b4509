import { rawValue } from './coerce.js';
import { type DraftAttributes } from './draft-attribute.js';
import { type RawAttributes } from './graph.js';

/** Plain data even where the author's key is `__proto__`: entries become own members. */
export function rawAttributes(attributes: DraftAttributes): RawAttributes {
  const entries: [string, string | number | boolean][] = [];
  for (const { key, typed } of attributes.all()) if (typed) entries.push([key, rawValue(typed)]);
  return Object.fromEntries(entries);
}
