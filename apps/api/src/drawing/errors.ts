import { RunyardError } from '#libs/kernel';

/** The graph has more to lay out than one drawing may take. */
export class GraphTooLargeError extends RunyardError {
  readonly kind = 'tooLarge';
}

/** As many drawings wait as may wait. */
export class TooManyDrawingsError extends RunyardError {
  readonly kind = 'unavailable';

  constructor() {
    super('Too many graphs are being drawn. Try again in a moment.');
  }
}
