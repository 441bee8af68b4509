import { parse } from 'smol-toml';

/** The value of an input. */
export type InputValue = string | number | boolean;

/** One `KEY=VALUE`, or the rest of a sentence that says what is wrong with it. */
export type ParsedInput = { key: string; value: InputValue } | { problem: string };

/**
 * Reads `KEY=VALUE`, split at the first `=`. The value is a TOML scalar, and a text when it is no TOML at all; lists,
 * tables and dates are refused.
 */
export function parseInput(entry: string): ParsedInput {
  const at = entry.indexOf('=');
  if (at === -1) return { problem: 'is missing `=`' };
  const key = entry.slice(0, at).trim();
  if (key === '') return { problem: 'has no key: the key cannot be empty' };
  const value = scalarOf(entry.slice(at + 1).trim());
  return value === undefined ? { problem: 'does not support dates, lists and tables as values' } : { key, value };
}

function scalarOf(text: string): InputValue | undefined {
  let value: unknown;
  try {
    ({ value } = parse(`value = ${text}`));
  } catch {
    return text;
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
