import { RunyardError } from '#libs/kernel';

/** A setting, variable or flag that cannot be used. The message names it and says what is allowed. */
export class ConfigError extends RunyardError {
  override readonly code = 'bad_configuration';
  readonly kind = 'invalid';
}
