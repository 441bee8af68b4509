import { RunyardError } from '#libs/kernel';

/** A text that is no condition. `offset` counts UTF-16 code units into that text. */
export class ConditionSyntaxError extends RunyardError {
  override readonly code = 'condition_syntax';
  readonly kind = 'invalid';

  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}
