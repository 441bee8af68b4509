import { messageOf } from '#libs/kernel';
import { Redis } from 'ioredis';
import type { WarningLog } from './connection-error-log.js';
import { RedisUnfitError } from './errors.js';

const OLDEST = [6, 2, 0] as const;
/** What to mend when somebody answers who is not the Redis that was meant. */
const refusals: readonly [RegExp, cure: string][] = [
  [/WRONGPASS|NOAUTH|NOPERM/, 'Check the user and password.'],
  [/DB index/, 'Check the number of the database.'],
  [/Unknown RESP type/, 'Check the address: what answers there is no Redis.'],
];

/**
 * The boot check of a Redis. Throws {@link RedisUnfitError} when its settings would lose hints, when its password or
 * database is wrong, or when something else answers in its place. What the server hides is only warned of, and so is a
 * server that is away: runs go on without it.
 */
export async function assertRedisFit(url: string, log: WarningLog): Promise<void> {
  let info: Map<string, string>;
  try {
    info = await readInfo(url);
  } catch (error) {
    const message = messageOf(error);
    const cure = refusals.find(([refusal]) => refusal.test(message))?.[1];
    if (cure !== undefined) throw new RedisUnfitError(`REDIS_URL leads to "${message}"`, cure);
    const { host } = new URL(url);
    return log.warn({ redis: host, error: message }, 'Redis cannot be reached, so its settings are not checked');
  }

  const version = info.get('redis_version');
  const policy = info.get('maxmemory_policy');
  const appendOnly = info.get('aof_enabled');
  if (version && isOlder(version)) {
    throw new RedisUnfitError(`its version is ${version}`, `Install ${OLDEST.join('.')} or later.`);
  }
  if (policy && policy !== 'noeviction') {
    throw new RedisUnfitError(`maxmemory-policy is ${policy}`, 'Set "maxmemory-policy noeviction".');
  }
  if (appendOnly === '0') {
    throw new RedisUnfitError('its append-only file is off', 'Set "appendonly yes".');
  }
  if (!version || !policy || !appendOnly) {
    log.warn({ version, policy, appendOnly }, 'Redis hides some of its settings, so they are not checked');
  }
}

/** INFO tells what CONFIG tells, and providers that hide CONFIG mostly leave it open. */
async function readInfo(url: string): Promise<Map<string, string>> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_500,
    commandTimeout: 1_500,
  });
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => (lastError = error));
  try {
    await redis.connect();
    const lines = (await redis.info()).split('\r\n').filter((line) => line.includes(':'));
    // A database that does not exist is reported beside the answer.
    if (lastError) throw lastError;
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
  } catch (error) {
    throw lastError ?? error;
  } finally {
    redis.disconnect();
  }
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number);
  const different = OLDEST.findIndex((part, index) => part !== parts[index]);
  return different >= 0 && (parts[different] ?? 0) < OLDEST[different]!;
}
