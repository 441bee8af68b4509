import { RunyardError } from '#libs/kernel';

/** A local sandbox works in place, and there is no such place. */
export class WorkingDirectoryError extends RunyardError {
  override readonly code = 'working_directory_missing';
  readonly kind = 'unprocessable';

  constructor(directory: string | null) {
    super(
      directory === null
        ? 'A local sandbox needs a working directory: submit the run with the absolute path of an existing one.'
        : `The working directory ${directory} is not an existing directory with an absolute path on this host: ` +
            'create it, submit the run from another one, or choose another sandbox provider.',
    );
  }
}
