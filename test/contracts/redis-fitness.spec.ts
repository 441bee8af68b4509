import { expect, it } from '@jest/globals';
import { assertRedisFit, RedisUnfitError } from '#libs/queue';
import { RecordedLog } from '../support/recorded-log.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis } from '../support/redis-server.js';

describeWithRedis('the boot check of a Redis', () => {
  const check = async (settings: string[]) => {
    const log = new RecordedLog();
    const server = await startRedis(settings);
    try {
      await assertRedisFit(server.url, log);
      return log.sentences;
    } finally {
      await server.remove();
    }
  };

  it('accepts a durable one', async () => {
    expect(await check([])).toEqual([]);
  });

  it.each([
    ['evicts keys', ['--maxmemory-policy', 'allkeys-lru'], 'Set "maxmemory-policy noeviction".'],
    ['keeps no append-only file', ['--appendonly', 'no'], 'Set "appendonly yes".'],
    ['wants a password', ['--requirepass', 'secret'], 'Check the user and password.'],
  ])('refuses one that %s, and names the cure', async (_, settings, cure) => {
    await expect(check(settings)).rejects.toThrow(RedisUnfitError);
    await expect(check(settings)).rejects.toThrow(cure);
  });

  it('warns of one that hides its settings', async () => {
    expect(await check(['--rename-command', 'INFO', ''])).toHaveLength(1);
  });

  it('warns of one that is away', async () => {
    const log = new RecordedLog();
    await assertRedisFit('redis://127.0.0.1:1', log);
    expect(log.sentences).toEqual(['Redis cannot be reached, so its settings are not checked']);
  });
});
