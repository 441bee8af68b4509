import { describe, it } from '@jest/globals';
import { redisAvailable } from './redis-server.js';

/**
 * A suite that needs a Redis of its own. Without one it is skipped, in plain sight; on CI it fails, because there a
 * missing Redis is a mistake.
 */
export function describeWithRedis(title: string, body: () => void): void {
  if (redisAvailable()) return describe(title, body);
  if (process.env.CI !== 'true') return describe.skip(`${title} (no redis-server on the PATH)`, body);
  describe(title, () => {
    it('finds a Redis', () => {
      throw new Error('Install redis-server or valkey-server on this machine: no binary is on the PATH.');
    });
  });
}
