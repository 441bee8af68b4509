import { assertNever } from '#libs/kernel';
import { type Literal } from '../syntax/tree.js';
import { type AttributeType } from './attribute-catalogue.js';

/** A value as its attribute's declaration wants it. A duration is in milliseconds. */
export type TypedValue =
  | { type: 'string'; value: string }
  | { type: 'integer' | 'float'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'duration'; value: number };

const DURATION = /^\d+(?:ms|s|m|h|d)$/;
const INTEGER = /^[+-]?\d+$/;
const NUMERIC_FORMS: ReadonlySet<Literal['form']> = new Set(['integer', 'float']);
/** Whoever writes more means for ever, or made a mistake. */
const MAX_DURATION_MS = 365 * 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Coerces a written value to a declared type, quoted or not; `undefined` when it says no such value. */
export function coerce(literal: Literal, type: AttributeType): TypedValue | undefined {
  switch (type) {
    case 'string':
      return isText(literal) ? { type: 'string', value: literal.text } : undefined;
    case 'integer':
      return integerOf(literal.text);
    case 'boolean':
      return booleanOf(literal.text);
    case 'duration':
    case 'switchable duration':
      return durationOf(withUnit(literal, type) ?? literal.text);
    default:
      return assertNever(type);
  }
}

/** How a duration that was written as a plain number is meant: in seconds. `undefined` for anything else. */
export function withUnit({ text }: Literal, type: AttributeType): string | undefined {
  const isDuration = type === 'duration' || type === 'switchable duration';
  return isDuration && /^\d+$/.test(text) ? `${text}s` : undefined;
}

/** Whether a duration lacks its unit: a plain 0 that switches something off needs none. */
export function lacksUnit(literal: Literal, type: AttributeType): boolean {
  return withUnit(literal, type) !== undefined && !(type === 'switchable duration' && literal.text === '0');
}

/** The value of an attribute that nothing declares: what its form says. A number too large to be exact stays a text. */
export function naturalValue(literal: Literal): TypedValue {
  switch (literal.form) {
    case 'integer':
      return integerOf(literal.text) ?? { type: 'string', value: literal.text };
    case 'float':
      return floatOf(literal.text) ?? { type: 'string', value: literal.text };
    case 'boolean':
      return { type: 'boolean', value: literal.text === 'true' };
    case 'duration':
      return durationOf(literal.text) ?? { type: 'string', value: literal.text };
    case 'quoted':
    case 'word':
    case 'verbatim':
      return { type: 'string', value: literal.text };
    default:
      return assertNever(literal.form);
  }
}

/** What a raw attribute shows: the value, or a duration's milliseconds with their unit. */
export function rawValue(typed: TypedValue): string | number | boolean {
  return typed.type === 'duration' ? `${typed.value}ms` : typed.value;
}

/** A duration without quotes is a text like any word where a text is wanted; a number or a boolean is not. */
function isText({ form }: Literal): boolean {
  return form !== 'boolean' && !NUMERIC_FORMS.has(form);
}

function integerOf(text: string): TypedValue | undefined {
  const value = INTEGER.test(text) ? Number(text) : NaN;
  // `+ 0` turns a negative zero into a plain one, which JSON gives back unchanged.
  return Number.isSafeInteger(value) ? { type: 'integer', value: value + 0 } : undefined;
}

function floatOf(text: string): TypedValue | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? { type: 'float', value: value + 0 } : undefined;
}

function booleanOf(text: string): TypedValue | undefined {
  return text === 'true' || text === 'false' ? { type: 'boolean', value: text === 'true' } : undefined;
}

function durationOf(text: string): TypedValue | undefined {
  if (!DURATION.test(text)) return undefined;
  const unit = text.endsWith('ms') ? 'ms' : text.slice(-1);
  const value = Number(text.slice(0, -unit.length)) * UNIT_MS[unit]!;
  return value <= MAX_DURATION_MS ? { type: 'duration', value } : undefined;
}
