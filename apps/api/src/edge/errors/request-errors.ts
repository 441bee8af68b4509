import { RunyardError } from '#libs/kernel';

/** The request itself cannot be read; one sentence for each fault. */
export class InvalidRequestError extends RunyardError {
  readonly kind = 'invalid';

  constructor(readonly faults: readonly string[]) {
    super(faults.join(' '));
  }
}

/** The server is going away; another one, or the same one in a moment, will answer. */
export class ShuttingDownError extends RunyardError {
  readonly kind = 'unavailable';

  constructor() {
    super('The server is shutting down. Try again in a moment.');
  }
}
