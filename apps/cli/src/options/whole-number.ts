import { InvalidArgumentError } from 'commander';

/** Reads the value of a flag that counts something. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Give a whole number from 1.');
}
