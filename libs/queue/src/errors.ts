import { RunyardError } from '#libs/kernel';

/** The queue did not take a hint in time. The hint may have arrived all the same: sending it again is harmless. */
export class QueueUnavailableError extends RunyardError {
  override readonly code = 'queue_unavailable';
  readonly kind = 'unavailable';

  constructor(options?: { cause?: unknown }) {
    super('The run queue cannot be reached.', options);
  }
}

/** A Redis that would lose hints by its own settings. The message names the fault and the cure. */
export class RedisUnfitError extends RunyardError {
  override readonly code = 'redis_unfit';
  readonly kind = 'unavailable';

  constructor(fault: string, cure: string) {
    super(`Redis is not fit to be the run queue: ${fault}. ${cure}`);
  }
}
