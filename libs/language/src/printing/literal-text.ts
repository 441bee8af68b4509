import { type AttributeType } from '../graph/attribute-catalogue.js';
import { formOf } from '../syntax/literal.js';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A value as a source spells it: an attribute of this type, or one that nothing declares, is given it again. */
export function literalText(value: string | number | boolean, type: AttributeType | undefined): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  if (type === 'duration' || type === 'switchable duration') return durationText(Number.parseInt(value, 10));
  return formOf(value) === 'word' ? value : quoted(value);
}

/** What no source can hold (U+0000, half of a surrogate pair) becomes U+FFFD. */
function quoted(text: string): string {
  const held = text.toWellFormed().replaceAll('\0', '\ufffd');
  return `"${held.replace(/["\\]/g, '\\$&')}"`;
}

function durationText(ms: number): string {
  if (ms === 0) return '0s';
  const [unit, size] = UNITS.find(([, unitMs]) => ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** A source knows no exponents, and takes an integer that is not safe for a text. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [mantissa = '', exponent] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const whole = 1 + Number(exponent);
  const places = Math.max(1, whole);
  const padded = digits.padEnd(whole, '0').padStart(digits.length - whole + 1, '0');
  return `${value < 0 ? '-' : ''}${padded.slice(0, places)}.${padded.slice(places) || '0'}`;
}
