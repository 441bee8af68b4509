import type { OverBoundsError } from '#libs/isolation';
import { RunyardError } from '#libs/kernel';

/** The manifest takes more to compile than one may; the same again would, too. */
export class ManifestTooLargeError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(cause: OverBoundsError) {
    super(
      `To compile the workflow takes more ${cause.by} than it may. Make it smaller, or let several runs do its work.`,
      { cause },
    );
  }
}

/** The effort did not suffice for what the manifest asks for: it is to be compiled where nobody else waits. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError';
}
