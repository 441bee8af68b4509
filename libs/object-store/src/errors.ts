import { RunyardError } from '#libs/kernel';

/** A key or prefix that could leave its place, or that not every store can hold. */
export class InvalidObjectKeyError extends RunyardError {
  readonly kind = 'invalid';

  constructor(readonly key: string) {
    super(`${JSON.stringify(key.slice(0, 200))} is not a key of an object.`);
  }
}

export class InvalidRangeError extends RunyardError {
  readonly kind = 'invalid';

  constructor(start: number, end: number) {
    super(`Bytes ${start} to ${end} are not a range.`);
  }
}

/** The store cannot be reached or cannot write. Whatever was asked may be asked again. */
export class ObjectStoreUnavailableError extends RunyardError {
  override readonly code = 'object_store_unavailable';
  readonly kind = 'unavailable';

  constructor(options: { cause: unknown }) {
    super('The object store cannot be reached.', options);
  }
}

/** A store that refuses what runs will ask of it. The message names the place and the reason. */
export class ObjectStoreUnfitError extends RunyardError {
  override readonly code = 'object_store_unfit';
  readonly kind = 'unavailable';

  constructor(place: string, reason: string, options?: { cause: unknown }) {
    super(`Objects cannot be kept in ${place}: ${reason}`, options);
  }
}
