export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether something lies deeper inside of a value than so many levels. Looks no deeper itself. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** A JSON text of more values than this takes many times its size as a value, and long to be looked through. */
export const MAX_JSON_VALUES = 250_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Whether a JSON text says more than {@link MAX_JSON_VALUES} values, told without reading it. */
export function saysTooManyValues(text: string): boolean {
  if (text.length <= MAX_JSON_VALUES) return false;
  let count = 0;
  let quoted = false;
  for (let at = 0; at < text.length && count <= MAX_JSON_VALUES; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) quoted = !quoted;
    else if (!quoted && (char === COMMA || char === OPEN_LIST || char === OPEN_OBJECT)) count++;
  }
  return count > MAX_JSON_VALUES;
}

/** One text for one value: keys sorted, no white space. Equal values have equal text, so its digest identifies them. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}
