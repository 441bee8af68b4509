import { randomBytes } from 'node:crypto';
import type { RunKey } from '#libs/engine';
import type { AccessTokens } from '#libs/persistence';
import { digestOf } from './token-digest.js';

const LIFETIME_MS = 72 * 3_600_000;

/**
 * Makes a token with which the commands of a run speak for it: good for three days, and only while the run goes on.
 * Earlier ones stay good, for commands that outlived their worker.
 */
export async function issueWorkerToken(tokens: AccessTokens, run: RunKey): Promise<string> {
  const token = `service_worker_${randomBytes(32).toString('hex')}`;
  await tokens.addForRun(digestOf(token), run, LIFETIME_MS);
  return token;
}
