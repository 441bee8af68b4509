import { expect, it } from '@jest/globals';
import { ageText, bytesText, costText, durationText, firstLineOf, oneLine, plainText, table } from './format.js';

it('writes durations as short as they can be read', () => {
  expect([0, 449, 4_100, 59_999, 130_000, 11_100_000].map(durationText)).toEqual([
    '0.0s',
    '0.4s',
    '4.1s',
    '59.9s',
    '2m10s',
    '3h05m',
  ]);
});

it('writes ages in one unit', () => {
  expect([-5, 12_000, 300_000, 7_200_000, 200_000_000].map(ageText)).toEqual([
    '0s ago',
    '12s ago',
    '5m ago',
    '2h ago',
    '2d ago',
  ]);
});

it('gives sizes in the largest unit of which there is one', () => {
  expect([0, 512, 1_536, 39_845_888, 5e15].map(bytesText)).toEqual([
    '0 B',
    '512 B',
    '1.5 KiB',
    '38.0 MiB',
    '4547.5 TiB',
  ]);
});

it('keeps the digits of a cost that matter', () => {
  expect([0, 410_000, 900].map(costText)).toEqual(['$0.00', '$0.41', '$0.0009']);
});

it('leaves nothing in a text that a terminal acts upon', () => {
  expect(plainText('a\u001b[31mb\u0007\r\nc\td\u0000')).toBe('ab\nc\td');
  expect(plainText('fil\u202egnp.exe \u2066\u200fא\u2069\u061c')).toBe('filgnp.exe א');
});

it('cuts lines to their width', () => {
  expect([oneLine(' a\n b ', 9), oneLine('abcdef', 4), firstLineOf('\nabc\nd', 9)]).toEqual(['a b', 'abc…', 'abc']);
});

it('sets rows below each other', () => {
  expect(
    table([
      ['A', 'BB', 'C'],
      ['aaa', 'b', ''],
    ]),
  ).toEqual(['A    BB  C', 'aaa  b']);
});
