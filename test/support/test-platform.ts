import { FIRST_SETTINGS, homeOf, parseSettings, serverConfig } from '#libs/config';
import { join, resolve } from 'node:path';
import { openPlatform, type Logger, type Platform } from '#libs/server-runtime';

export interface TestPlatformOptions {
  databaseUrl: string;
  /** Shared by all processes of a server: their objects lie in it. */
  folder: string;
  /** Runs that may execute at once. */
  limit: number;
  redisUrl?: string | undefined;
  log: Logger;
}

/** What a server process opens; specs run from source, where the migrations are not beside the program. */
export function testPlatform({ databaseUrl, folder, limit, redisUrl, log }: TestPlatformOptions): Promise<Platform> {
  const home = homeOf({ RUNYARD_HOME: join(folder, 'home') });
  const environment = { RUNYARD_SERVER_MAX_CONCURRENT_RUNS: String(limit), REDIS_URL: redisUrl };
  const config = serverConfig(home, parseSettings(FIRST_SETTINGS, 'test'), environment);
  const migrations = resolve('prisma/migrations');
  return openPlatform({ config, databaseUrl, service: 'test', maxConnections: 12, log, migrations });
}
