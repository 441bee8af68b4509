import { InvalidArgumentError } from 'commander';
import { parseDuration } from '#libs/settings';

/** Reads the value of a flag that says how long, in milliseconds. */
export function spanOfTime(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Give a number with one unit, such as 90s, 12h or 7d.');
}
