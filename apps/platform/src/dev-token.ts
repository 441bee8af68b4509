import { randomBytes } from 'node:crypto';
import { DEFAULT_TENANT, RunyardError } from '#libs/kernel';
import type { AccessTokens, TokenHolder } from '#libs/persistence';
import { digestOf } from './token-digest.js';

const FORM = /^service_dev_[0-9a-f]{64}$/;

class MalformedTokenError extends RunyardError {
  readonly kind = 'invalid';
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
 * Returns the clear token only when it was made here, for it is kept nowhere else on the server.
 */
export async function ensureDevToken(tokens: AccessTokens, given: string | undefined): Promise<string | null> {
  if (given !== undefined && given !== '') {
    if (!FORM.test(given))
      throw new MalformedTokenError('RUNYARD_DEV_TOKEN must be service_dev_ and 64 lower-case hex digits.');
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
