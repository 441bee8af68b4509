import { homeOf, readSettings, parseSettings, serverConfig, ConfigError } from '#libs/config';
import { messageOf, RunyardError } from '#libs/kernel';
import { createLogger, openPlatform, untilSignal } from '../../platform/src/index.js';
import { startWorker } from './start-worker.js';

const GRACE_MS = 25_000;

/** A worker process beside API processes: needs DATABASE_URL, uses REDIS_URL and S3_* when they are set. */
async function main(): Promise<void> {
  const home = homeOf(process.env);
  const config = serverConfig(home, (await readSettings(home.settings)) ?? parseSettings('', 'defaults'), process.env);
  if (config.databaseUrl === null)
    throw new ConfigError('DATABASE_URL is not set; a worker needs the database of its API servers.');
  const log = createLogger(config.logLevel, 'worker');
  const maxConnections = 8;
  const platform = await openPlatform({
    config,
    databaseUrl: config.databaseUrl,
    service: 'runyard-worker',
    maxConnections,
    log,
  });
  const worker = await startWorker(platform, log, { slots: config.workerSlots, sandboxDirectory: home.sandboxes });
  platform.upkeep.start();
  const signal = await untilSignal();
  log.info({ signal }, 'The worker hands its runs over.');
  await worker.stop(GRACE_MS);
  await platform.close();
}

main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof RunyardError ? messageOf(thrown) : String((thrown as Error).stack)}\n`);
  process.exit(1);
});
