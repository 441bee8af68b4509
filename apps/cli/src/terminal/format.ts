const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `0.4s`, `42.0s`, `2m10s`, `3h05m` */
export function durationText(ms: number): string {
  if (ms < MINUTE_MS) return `${(Math.max(0, Math.floor(ms / 100)) / 10).toFixed(1)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m${twoDigits(Math.floor((ms % MINUTE_MS) / SECOND_MS))}s`;
  return `${Math.floor(ms / HOUR_MS)}h${twoDigits(Math.floor((ms % HOUR_MS) / MINUTE_MS))}m`;
}

/** `12s ago`, `5m ago`, `3h ago`, `2d ago` */
export function ageText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))}s ago`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ago`;
  return `${Math.floor(ms / DAY_MS)}d ago`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 B`, `1.5 KiB`, `38.0 MiB` */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

/** `$0.41`; a cost below a cent keeps the digits that matter. */
export function costText(usdMicros: number): string {
  const dollars = usdMicros / 1_000_000;
  return `$${dollars.toFixed(usdMicros === 0 || dollars >= 0.01 ? 2 : 4)}`;
}

/** What steers a terminal: sequences that set colours or move the cursor, those that carry a text of their own, others. */
const CONTROL_SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_].*?(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/gs;
/** Those that do something, and those that have a line read in another order than it is written. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Text from outside that cannot move the cursor, colour the screen, ring a bell or turn a line round. Line ends and tabs stay. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL_SEQUENCES, '').replace(CONTROL_CHARACTERS, '');
}

/** One line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
}

/** The end of a text in one line of at most `width` characters. */
export function lastPartOf(text: string, width: number): string {
  const line = oneLine(text, Infinity);
  return line.length <= width ? line : `…${line.slice(line.length - Math.max(0, width - 1)).toWellFormed()}`;
}

/** The first line of a text, at most `width` characters of it. */
export function firstLineOf(text: string, width: number): string {
  return oneLine(text.trimStart().split('\n', 1)[0] ?? '', width);
}

/** Rows as columns of equal width, two spaces apart; the last column is as long as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** `1 error`, `3 errors` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
