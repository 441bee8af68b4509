import { rawValue } from './coerce.js';
import { type DraftAttributes } from './draft-attribute.js';

/**
 * Attributes under the names of the source, defaults of the surroundings included. Each value has its declared type;
 * a duration is printed as `<milliseconds>ms`. Names come from the author: read one with `Object.hasOwn`.
 */
export type RawAttributes = Record<string, string | number | boolean>;

/** Plain data even where the author's key is `__proto__`: it becomes a member like any other. */
export function rawAttributes(attributes: DraftAttributes): RawAttributes {
  const raw: RawAttributes = {};
  for (const { key, typed } of attributes.all()) {
    if (!typed) continue;
    const value = rawValue(typed);
    if (key === '__proto__')
      Object.defineProperty(raw, key, { value, enumerable: true, configurable: true, writable: true });
    else raw[key] = value;
  }
  return raw;
}
