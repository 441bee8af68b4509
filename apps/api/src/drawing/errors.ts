import { RunyardError } from '#libs/kernel';

/** The graph has more to lay out than one drawing may take. */
export class GraphTooLargeError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      `${reason} Move parts of it into sub-workflows, or draw its source (runyard graph --format dot) yourself.`,
      options,
    );
  }
}
