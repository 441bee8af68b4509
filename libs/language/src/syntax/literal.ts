import { isNameStart } from './characters.js';
import { type LiteralForm } from './tree.js';

const DURATION = /^-?\d+(?:ms|s|m|h|d)$/;
const FLOAT = /^[+-]?\d*\.\d+$/;
const INTEGER = /^[+-]?\d+$/;
/** `true-ish` and `false.x` are refused: a reader would take them for the boolean they begin with. */
const WORD = /^(?!(?:true|false)[.-])[\w.-]*$/;
const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER_LENGTH = 20;

/** The form of an unquoted value, or `undefined` for a run of characters that is none. */
export function formOf(run: string): LiteralForm | undefined {
  if (run === 'true' || run === 'false') return 'boolean';
  if (isNameStart(run.charCodeAt(0))) return WORD.test(run) ? 'word' : undefined;
  if (DURATION.test(run)) return 'duration';
  if (FLOAT.test(run)) return 'float';
  return INTEGER.test(run) && fits64Bits(run) ? 'integer' : undefined;
}

function fits64Bits(digits: string): boolean {
  if (digits.length > MAX_INTEGER_LENGTH) return false;
  const value = BigInt(digits.replace('+', ''));
  return value >= MIN_INTEGER && value <= MAX_INTEGER;
}

const escapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' };

/** Resolves `\"`, `\\`, `\n` and `\t`; any other backslash stays, so that `\d+` survives. */
export function unescape(written: string): string {
  return written.includes('\\') ? written.replace(/\\(["\\nt])/g, (_, sign: string) => escapes[sign]!) : written;
}
