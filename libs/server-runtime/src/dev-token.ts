import { randomBytes } from 'node:crypto';
import { DEFAULT_TENANT, RunyardError } from '#libs/kernel';
import type { AccessTokens, TokenHolder } from '#libs/persistence';
import { digestOf } from './token-digest.js';

const FORM = /^service_dev_[0-9a-f]{64}$/;

class UnusableTokenError extends RunyardError {
  readonly kind = 'invalid';
}

/** Of 64 random digits no more than a few of the sixteen are missing, and none of them repeat the ones before. */
const FEWEST_DIGITS = 8;
const REPEATED = /^(.+)\1+$/;

/** Whether a token of the right form is an example, or typed by hand. */
function isGuessable(token: string): boolean {
  const digits = token.slice(-64);
  return new Set(digits).size < FEWEST_DIGITS || REPEATED.test(digits);
}

/** The person behind the dev token. */
const DEV: TokenHolder = {
  tenantId: DEFAULT_TENANT,
  role: 'admin',
  principal: {
    kind: 'user',
    identity: { issuer: 'service:dev', subject: 'dev' },
    login: 'dev',
    auth_method: 'dev_token',
  },
};

/**
 * Makes sure that somebody can sign in: stores the digest of the given token, or makes a token when there is none yet.
 * Returns the clear token only when it was made here, for it is kept nowhere else on the server. A given token that
 * anybody could guess is refused, and signs nobody in any more.
 */
export async function ensureDevToken(tokens: AccessTokens, given: string | undefined): Promise<string | null> {
  if (given !== undefined && given !== '') {
    if (!FORM.test(given))
      throw new UnusableTokenError('RUNYARD_DEV_TOKEN must be service_dev_ and 64 lower-case hex digits.');
    if (isGuessable(given)) {
      await tokens.remove(digestOf(given));
      throw new UnusableTokenError(
        'RUNYARD_DEV_TOKEN is an example, or has too few different digits. Make one: echo service_dev_$(openssl rand -hex 32), or leave it empty.',
      );
    }
    await tokens.add(digestOf(given), DEV);
    return null;
  }
  if (await tokens.hasAny()) return null;
  return issueDevToken(tokens);
}

/** Makes one more token; earlier ones stay good. */
export async function issueDevToken(tokens: AccessTokens): Promise<string> {
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  await tokens.add(digestOf(token), DEV);
  return token;
}
