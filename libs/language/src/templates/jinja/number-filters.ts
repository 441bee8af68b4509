import { type Value } from '@huggingface/jinja';
import { type Filter } from './filter.js';
import { numberOf, wrap, wrapFloat } from './values.js';

export const numberFilters = {
  abs: (value) => sameKind(value, Math.abs(numberOf(value))),
  int: (value, args) => wrap(Math.trunc(readNumber(value) ?? args.integer(0, 'default') ?? 0)),
  float: (value, args) => wrapFloat(readNumber(value) ?? args.integer(0, 'default') ?? 0),

  round(value, args) {
    const scale = 10 ** (args.integer(0, 'precision') ?? 0);
    return wrapFloat(Math.round(numberOf(value) * scale) / scale);
  },
} satisfies Record<string, Filter>;

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
