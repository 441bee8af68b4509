import { z } from 'zod';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** As in workflows. */
const MAX_DURATION_MS = 365 * 86_400_000;
const DURATION = /^(\d+)(ms|s|m|h|d)$/;
const SIZE = /^(\d+)\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
const DECIMAL_UNITS = ['TB', 'GB', 'MB', 'KB', 'B'] as const;
const CIDR =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}\/(?:\d|[12]\d|3[0-2])|[\da-fA-F:]*:[\da-fA-F:.]*\/(?:\d|\d\d|1[01]\d|12[0-8]))$/;

export const text = z.string();
export const texts = z.array(text);
export const textMap = z.record(z.string(), text);
export const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be a text, a number or a boolean',
});

/** A span of time with one unit, `90s`, in milliseconds. */
export const duration = text.transform((written, context) => {
  const ms = parseDuration(written);
  if (ms !== undefined && ms <= MAX_DURATION_MS) return ms;
  context.addIssue('must be a duration with one unit, such as 500ms, 90s, 5m, 2h or 1d, and at most 365d');
  return z.NEVER;
});

/** A size with one unit, or a whole number of gigabytes; printed in the largest decimal unit that is exact. */
export const size = z.union([z.int().min(0), text]).transform((written, context) => {
  const [, count, unit] = SIZE.exec(typeof written === 'number' ? `${written}GB` : written) ?? [];
  if (count !== undefined && unit !== undefined) return printSize(Number(count) * BYTES[unit]!);
  context.addIssue('must be a size with one unit, such as 512MB, 4GB or 1GiB, or a number of gigabytes');
  return z.NEVER;
});

export const cidr = text.refine(
  (written) => CIDR.test(written) && octetsFit(written),
  'must be a CIDR, such as 10.0.0.0/8',
);

/** Milliseconds; undefined for what is no duration. */
export function parseDuration(written: string): number | undefined {
  const [, count, unit] = DURATION.exec(written) ?? [];
  return count !== undefined && unit !== undefined ? Number(count) * UNIT_MS[unit]! : undefined;
}

/** With the largest unit that is exact: `2m`, `90s`, `0s`. */
export function printDuration(ms: number): string {
  const unit = ms === 0 ? 's' : ['d', 'h', 'm', 's'].find((name) => ms % UNIT_MS[name]! === 0);
  return unit === undefined ? `${ms}ms` : `${ms / UNIT_MS[unit]!}${unit}`;
}

function printSize(bytes: number): string {
  const unit = DECIMAL_UNITS.find((name) => bytes % BYTES[name]! === 0)!;
  return `${bytes / BYTES[unit]!}${unit}`;
}

function octetsFit(written: string): boolean {
  return (
    written.includes(':') ||
    written
      .split('/')[0]!
      .split('.')
      .every((octet) => Number(octet) <= 255)
  );
}
