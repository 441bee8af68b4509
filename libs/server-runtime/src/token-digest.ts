import { createHash } from 'node:crypto';

/** All that is kept of a token on the server. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
