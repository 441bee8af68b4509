import { RunyardError } from '#libs/kernel';

/** As much work waits as may wait, or no more is taken because the process ends. */
export class NoPlaceError extends RunyardError {
  readonly kind = 'unavailable';
}

/** The work took more time or memory than it may. The same work again would, too. */
export class OverBoundsError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(
    readonly by: 'time' | 'memory',
    options?: ErrorOptions,
  ) {
    super(`The work takes more ${by} than it may.`, options);
  }
}

/** The work threw, or its process ended without an answer: a defect. */
export class IsolatedWorkError extends Error {
  override readonly name = 'IsolatedWorkError';
}
