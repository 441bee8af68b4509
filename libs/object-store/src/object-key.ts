import { InvalidObjectKeyError, InvalidRangeError } from './errors.js';

const SEGMENT = /^[A-Za-z0-9._\-@:]{1,200}$/;
/** S3 allows 1,024 bytes, of which a prefix in front of every key needs some. */
const MAX_LENGTH = 900;

/** Refuses what is not a relative path of plain names: an absolute one, an empty segment, `.`, `..` anywhere. */
export function assertKey(key: string): void {
  const segments = key.split('/');
  const plain = segments.every((segment) => SEGMENT.test(segment) && segment !== '.');
  if (!plain || key.includes('..') || key.length > MAX_LENGTH) throw new InvalidObjectKeyError(key);
}

/** Refuses what does not name a folder of keys. The whole store is no folder: nothing may empty it by mistake. */
export function assertPrefix(prefix: string): void {
  if (!prefix.endsWith('/')) throw new InvalidObjectKeyError(prefix);
  assertKey(prefix.slice(0, -1));
}

export function assertRange(start: number, end: number): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || end < start) throw new InvalidRangeError(start, end);
}
