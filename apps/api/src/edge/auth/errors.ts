import { RunyardError } from '#libs/kernel';

/** No credentials were sent. */
export class NotSignedInError extends RunyardError {
  readonly kind = 'unauthenticated';

  constructor() {
    super('Sign in first: send "Authorization: Bearer <token>".');
  }
}

/** The Authorization header is not a bearer value that may be used here. */
export class MalformedCredentialsError extends RunyardError {
  override readonly code = 'unauthorized';
  readonly kind = 'unauthenticated';

  constructor() {
    super('The Authorization header must be "Bearer <token>" with an access token.');
  }
}

/** The token is not known. The sentence never says what was wrong with it. */
export class UnknownTokenError extends RunyardError {
  override readonly code = 'access_token_invalid';
  readonly kind = 'unauthenticated';

  constructor() {
    super('The access token is not valid.');
  }
}

/** The token is not known, and neither were many before it from the same address. */
export class TooManyWrongTokensError extends RunyardError {
  override readonly code = 'too_many_wrong_tokens';
  readonly kind = 'limited';

  constructor() {
    super(
      'The access token is not valid, and neither were many others from this address. Send a valid one, or wait a minute.',
    );
  }
}

/** The caller is known, but their role does not reach. */
export class RoleError extends RunyardError {
  readonly kind = 'forbidden';

  constructor(role: string, least: string | undefined) {
    super(least ? `This needs the role ${least}; yours is ${role}.` : 'Nobody may do this.');
  }
}

/** The caller is a run, and this is not for runs, or not with that run. */
export class NotForRunsError extends RunyardError {
  readonly kind = 'forbidden';

  constructor() {
    super(
      'This token is that of a run. It may create runs, which are its children, and list them; read itself and its descendants; ' +
        'start (a person consents), cancel, archive and unarchive its descendants. Everything else needs the token of a person.',
    );
  }
}
