import { type Value } from '@huggingface/jinja';
import { memberOf } from './values.js';

/** What a value holds under a path such as `author.name` or `pair.0`. */
export function attributeOf(item: Value, path: string): Value | undefined {
  const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return parts.reduce<Value | undefined>((value, key) => value && memberOf(value, key), item);
}
