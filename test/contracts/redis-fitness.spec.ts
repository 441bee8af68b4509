import { describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { assertRedisFit, RedisUnfitError } from '#libs/queue';
import { RecordedLog } from '../support/recorded-log.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis } from '../support/redis-server.js';

async function strangeServer(answerTo: (command: string) => string): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const [, command] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        socket.write(answerTo(command!));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `redis://127.0.0.1:${port}`, close };
}

describe('the boot check of something else', () => {
  const info = 'redis_version:5.0.14\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n';
  const redisOfLongAgo = (command: string): string =>
    command === 'info' ? `$${info.length}\r\n${info}\r\n` : `-ERR unknown command '${command}'\r\n`;
  const webServer = (): string => 'HTTP/1.1 400 Bad Request\r\n\r\n';

  it.each([
    ['is too old', redisOfLongAgo, 'its version is 5.0.14. Install 6.2.0 or later.'],
    ['speaks another language', webServer, 'what answers there is no Redis.'],
  ])('refuses one that %s', async (_, answerTo, message) => {
    const server = await strangeServer(answerTo);
    const check = assertRedisFit(server.url, new RecordedLog());
    await expect(check).rejects.toThrow(message);
    await expect(check).rejects.toThrow(RedisUnfitError);
    server.close();
  });
});

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

  it('refuses a database that it does not have', async () => {
    const server = await startRedis(['--databases', '1']);
    const check = assertRedisFit(`${server.url}/7`, new RecordedLog());
    await expect(check).rejects.toThrow('Check the number of the database.');
    await server.remove();
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
