import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.js';

/** Before a lease that is not renewed is over. */
const PATIENCE_MS = 8_000;
const TRY_AGAIN_MS = 200;

/**
 * Does something, which must be harmless to repeat, again and again while the database is away, but not for longer than
 * the lease that it is done under can be good.
 */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; await sleep(TRY_AGAIN_MS)) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof DatabaseUnavailableError) || performance.now() > giveUpAt) throw thrown;
    }
  }
}
