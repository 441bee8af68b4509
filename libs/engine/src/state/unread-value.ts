import type { FailureDetail } from '#libs/events';
import { RunyardError } from '#libs/kernel';

/** A kept value that the walk has to read and that is not at hand: it is too large, or all that are read are together. */
export class UnreadValueError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(key: string, bytes: number) {
    super(
      `The context value "${key}"${bytes > 0 ? ` of ${bytes} bytes` : ''} is too large for a condition, a for_each or a gate: all that those of a run read may have 8 MiB together. Let its stage write the large part into a file, and into the context what is to be decided on.`,
    );
  }

  get failure(): FailureDetail {
    return { message: this.message, category: 'deterministic' };
  }
}

/** What a reading comes to, or why it cannot be read. */
export function readOrRefused<T>(read: () => T): T | UnreadValueError {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof UnreadValueError) return thrown;
    throw thrown;
  }
}
