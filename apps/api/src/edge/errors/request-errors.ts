import { RunyardError } from '#libs/kernel';

/** Faults that are said one by one; a request may have as many as it has members. */
const MAX_FAULTS = 20;

/** The request itself cannot be read; one sentence for each of the first faults, and how many more there are. */
export class InvalidRequestError extends RunyardError {
  readonly kind = 'invalid';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const said = faults.length <= MAX_FAULTS ? faults : [...faults.slice(0, MAX_FAULTS), moreThan(faults.length)];
    super(said.join(' '));
    this.faults = said;
  }
}

function moreThan(count: number): string {
  const more = count - MAX_FAULTS;
  return `${more} more ${more === 1 ? 'fault is' : 'faults are'} not listed.`;
}

/** The server is going away; another one, or the same one in a moment, will answer. */
export class ShuttingDownError extends RunyardError {
  readonly kind = 'unavailable';

  constructor() {
    super('The server is shutting down. Try again in a moment.');
  }
}
