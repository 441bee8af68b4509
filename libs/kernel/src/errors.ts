/**
 * What went wrong, in the caller's terms. The HTTP edge turns a kind into a status with one table; a worker tries
 * `unavailable` again and lets every other kind end the stage.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'tooLarge'
  | 'unprocessable'
  | 'preconditionRequired'
  | 'limited'
  | 'unavailable';

/** The base of every error that a caller is meant to understand. The message is a sentence for people. */
export abstract class RunyardError extends Error {
  /** Public and stable; absent where no client needs to tell this error from others of its kind. */
  readonly code?: string;
  abstract readonly kind: ErrorKind;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A promise between two parts of the program was broken; always a defect, never the caller's fault. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
