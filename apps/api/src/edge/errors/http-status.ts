import { type ErrorKind } from '#libs/kernel';

/** The one place where a kind of error gets its status. */
export const HTTP_STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  tooLarge: 413,
  unprocessable: 422,
  preconditionRequired: 428,
  limited: 429,
  unavailable: 503,
};

/** Statuses that ask the caller to come back, with the seconds to wait. */
export const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 5, 503: 5 };
