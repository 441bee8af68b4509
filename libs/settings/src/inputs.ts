import { parse } from 'smol-toml';

/** The value of an input. */
export type InputValue = string | number | boolean;

/** One `KEY=VALUE`, or the rest of a sentence that says what is wrong with it. */
export type ParsedInput = { key: string; value: InputValue } | { problem: string };

/**
 * Reads `KEY=VALUE`, split at the first `=`. The value is a TOML scalar; what is no TOML at all is a text, and so is a
 * date, and a number that would be written in another way, such as a version: `1.10` stays `1.10`. Lists and tables are
 * refused.
 */
export function parseInput(entry: string): ParsedInput {
  const at = entry.indexOf('=');
  if (at === -1) return { problem: 'is missing `=`' };
  const key = entry.slice(0, at).trim();
  if (key === '') return { problem: 'has no key: the key cannot be empty' };
  const value = scalarOf(entry.slice(at + 1).trim());
  return value === undefined ? { problem: 'does not support lists and tables as values' } : { key, value };
}

function scalarOf(text: string): InputValue | undefined {
  let value: unknown;
  try {
    ({ value } = parse(`value = ${text}`));
  } catch {
    return text;
  }
  if (typeof value === 'number') return String(value) === text ? value : text;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof Date ? text : undefined;
}
