import { parse } from 'smol-toml';
import type { InputValue } from '#libs/language';

/** An input as it was typed. */
export interface TypedInput {
  /** `KEY=VALUE` */
  entry: string;
  name: string;
  value: InputValue;
}

/** Reads `KEY=VALUE`, the value as TOML, else as the text it is; a sentence for what no input can be. */
export function typedInput(entry: string): TypedInput | string {
  const at = entry.indexOf('=');
  const name = entry.slice(0, Math.max(at, 0)).trim();
  if (name === '') return 'Give it as KEY=VALUE.';
  const value = inputValue(entry.slice(at + 1));
  return value === undefined
    ? 'A value is a text, a number, true or false. Quote it to give it as a text.'
    : { entry, name, value };
}

function inputValue(text: string): InputValue | undefined {
  const value = tomlValue(text);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : text;
    case 'undefined':
      return text;
    default:
      return undefined;
  }
}

/** Undefined for a text that is no TOML value. */
function tomlValue(text: string): unknown {
  try {
    const { value, ...others } = parse(`value = ${text}`);
    return Object.keys(others).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
