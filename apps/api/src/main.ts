import { addressOf, ConfigError, homeOf, parseSettings, readSettings, serverConfig } from '#libs/config';
import { messageOf, RunyardError } from '#libs/kernel';
import { createLogger, ensureDevToken, openPlatform, untilSignal } from '../../platform/src/index.js';
import { startApi } from './start-api.js';

/** An API process beside worker processes: needs DATABASE_URL, uses REDIS_URL and S3_* when they are set. */
async function main(): Promise<void> {
  const home = homeOf(process.env);
  const settings = (await readSettings(home.settings)) ?? parseSettings('', 'defaults');
  const config = serverConfig(home, settings, process.env);
  if (config.databaseUrl === null)
    throw new ConfigError('DATABASE_URL is not set; for a server with its own database start the standalone one.');
  const log = createLogger(config.logLevel, 'api');
  const maxConnections = 12;
  const platform = await openPlatform({
    config,
    databaseUrl: config.databaseUrl,
    service: 'runyard-api',
    maxConnections,
    log,
  });
  const token = await ensureDevToken(platform.tokens, process.env.RUNYARD_DEV_TOKEN);
  if (token !== null) process.stderr.write(`Your token, shown once: ${token}\n`);

  const { binding } = config;
  const api = await startApi(platform, log, {
    bindings: [binding.kind === 'unix' ? { socketPath: binding.path } : binding],
    defaults: {
      model: config.defaultModel,
      environment: config.defaultEnvironment,
      environments: config.environments,
      providers: ['local'],
    },
    webUrl: config.webUrl ?? (binding.kind === 'tcp' ? addressOf(binding) : null),
  });
  platform.upkeep.start();
  log.info({ addresses: api.addresses }, 'The API listens.');
  const signal = await untilSignal();
  log.info({ signal }, 'The API shuts down.');
  await api.close();
  await platform.close();
}

main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof RunyardError ? messageOf(thrown) : String((thrown as Error).stack)}\n`);
  process.exit(1);
});
