import { describe, expect, it } from '@jest/globals';
import { formOf } from '../syntax/literal.js';
import { type Literal } from '../syntax/tree.js';
import { type AttributeType } from './attribute-catalogue.js';
import { coerce, naturalValue, rawValue } from './coerce.js';

/** A value as it is written: with quotes, or by its form. */
function literal(written: string): Literal {
  const quoted = written.startsWith('"');
  const text = quoted ? written.slice(1, -1) : written;
  return { form: quoted ? 'quoted' : formOf(written)!, text, span: { start: 0, end: 0 } };
}

describe('coerce, by the declared type of the attribute', () => {
  it.each<[AttributeType, Record<string, unknown>]>([
    [
      'string',
      {
        '"x"': 'x',
        x: 'x',
        '"5"': '5',
        '"5m"': '5m',
        '5m': '5m',
        '""': '',
        5: undefined,
        1.5: undefined,
        true: undefined,
      },
    ],
    [
      'integer',
      {
        5: 5,
        '+5': 5,
        '-5': -5,
        '"5"': 5,
        '"-0"': 0,
        '"5 "': undefined,
        '5s': undefined,
        1.5: undefined,
        x: undefined,
      },
    ],
    ['integer', { 9007199254740991: Number.MAX_SAFE_INTEGER, 9007199254740993: undefined }],
    ['boolean', { true: true, false: false, '"true"': true, '"yes"': undefined, 1: undefined }],
    [
      'duration',
      { '300s': 300_000, '"300s"': 300_000, '5ms': 5, '2m': 120_000, '1h': 3_600_000, '1d': 86_400_000, '"0s"': 0 },
    ],
    ['duration', { 30: 30_000, 0: 0, '"1h30m"': undefined, '-5m': undefined, x: undefined, '99999999999d': undefined }],
    ['duration', { '365d': 31_536_000_000, '366d': undefined, '8760h': 31_536_000_000, '31536000001ms': undefined }],
    ['switchable duration', { 0: 0, '"0"': 0, '0s': 0, '10m': 600_000, 30: 30_000 }],
  ])('%s', (type, cases) => {
    const actual = Object.fromEntries(
      Object.keys(cases).map((written) => [written, coerce(literal(written), type)?.value]),
    );
    expect(actual).toEqual(cases);
  });
});

describe('an attribute nobody declares', () => {
  it.each([
    ['"5"', '5'],
    ['5', 5],
    ['1.5', 1.5],
    ['true', true],
    ['900s', '900000ms'],
    ['"900s"', '900s'],
    ['-5m', '-5m'],
    ['9007199254740993', '9007199254740993'],
    ['-0.0', 0],
    [`${'9'.repeat(400)}.5`, `${'9'.repeat(400)}.5`],
  ])('%s shows as %j', (written, raw) => {
    expect(rawValue(naturalValue(literal(written)))).toBe(raw);
  });
});
