import { quote } from '../../edge/schema/kind.js';

const AGE = /^(\d{1,6})([hd])$/;
const HOUR_MS = 3_600_000;
const MS_OF = { h: HOUR_MS, d: 24 * HOUR_MS } as const;
const DATE_PREFIX = /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T\d{2}(:\d{2}(:\d{2}Z?)?)?)?)?)?$/;

/** When no filter narrows a pruning, it spares what ended since then. */
export const DEFAULT_AGE = '24h';

export function ageProblem(text: string): string | undefined {
  return AGE.test(text) ? undefined : `must be a number of hours or days, like 12h or 30d, not ${quote(text)}`;
}

export function datePrefixProblem(text: string): string | undefined {
  return DATE_PREFIX.test(text) ? undefined : `must be the beginning of a date, like 2026-03, not ${quote(text)}`;
}

/** The milliseconds of an age that was checked. */
export function ageMs(text: string): number {
  const [, count, unit] = AGE.exec(text)!;
  return Number(count) * MS_OF[unit as 'h' | 'd'];
}
