import { InvalidRequestError } from '../errors/request-errors.js';

/** The header's value: 1 to 255 visible ASCII characters, or nothing when it was not sent. */
export function idempotencyKeyFrom(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new InvalidRequestError(['The Idempotency-Key must be 1 to 255 visible ASCII characters without blanks.']);
}
