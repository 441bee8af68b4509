import { describe, expect, it } from '@jest/globals';
import { ulidTime } from '#libs/kernel';
import { runIdTimeProblem } from './run-id-window.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const DAY = 24 * 3_600_000;
const idOf = (ms: number) => `${ulidTime(ms)}ZZZZZZZZZZZZZZZZ`;

describe('An id that a client chose', () => {
  it.each([
    ['of now', 0],
    ['of a day ago', -DAY],
    ['of a day ahead', DAY],
  ])('may be %s', (_what, after) => {
    expect(runIdTimeProblem(idOf(NOW + after), NOW)).toBeUndefined();
  });

  it.each([
    ['a moment too old', NOW - DAY - 1, '2026-11-21T11:59:59Z'],
    ['a moment too new', NOW + DAY + 1, '2026-11-23T12:00:00Z'],
    ['of 1970', 0, '1970-01-01T00:00:00Z'],
    ['of 2100', Date.UTC(2100, 0, 1), '2100-01-01T00:00:00Z'],
    ['the last there is', 2 ** 48 - 1, '+010889-08-02T05:31:50Z'],
  ])('may not be %s, and is told its moment and the window', (_what, ms, moment) => {
    expect(runIdTimeProblem(idOf(ms), NOW)).toBe(
      `is a ULID of ${moment}; choose one of a moment between 2026-11-21T12:00:00Z and 2026-11-23T12:00:00Z, or none`,
    );
  });
});
