import { type Value } from '@huggingface/jinja';
import { type Filter } from './filter.js';
import { numberOf, wrap, wrapFloat } from './values.js';

export const numberFilters = {
  abs: (value) => sameKind(value, Math.abs(numberOf(value))),
  int: (value, args) => wrap(Math.trunc(readNumber(value) ?? args.integer(0, 'default') ?? 0)),
  float: (value, args) => wrapFloat(readNumber(value) ?? args.integer(0, 'default') ?? 0),

  /** `1536` is `1.5 kB`, or `1.5 KiB` when it is asked for binary units. */
  filesizeformat(value, args) {
    const bytes = readNumber(value);
    if (bytes === undefined) throw new Error('filesizeformat takes a number of bytes');
    return wrap(sizeText(bytes, args.flag(0, 'binary')));
  },

  round(value, args) {
    const scale = 10 ** (args.integer(0, 'precision') ?? 0);
    return wrapFloat(Math.round(numberOf(value) * scale) / scale);
  },
} satisfies Record<string, Filter>;

const DECIMAL = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];
const BINARY = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'];

function sizeText(bytes: number, binary: boolean): string {
  const [base, units] = binary ? [1024, BINARY] : [1000, DECIMAL];
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  let [size, unit] = [bytes / base, 0];
  for (; size >= base && unit < units.length - 1; unit++) size /= base;
  return `${size.toFixed(1)} ${units[unit]}`;
}

function sameKind({ type }: Value, number: number): Value {
  return type === 'FloatValue' ? wrapFloat(number) : wrap(number);
}

/** The number a value is, or a text says. */
function readNumber(value: Value): number | undefined {
  if (typeof value.value !== 'string') return numberOf(value);
  const written = value.value.trim();
  const number = written === '' ? NaN : Number(written);
  return Number.isFinite(number) ? number : undefined;
}
