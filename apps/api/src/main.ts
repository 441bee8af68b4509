import { addressOf } from '#libs/config';
import { ensureDevToken, runServerProcess } from '#libs/server-runtime';
import { startApi } from './start-api.js';

/** An API process beside worker processes: needs DATABASE_URL, uses REDIS_URL and S3_* when they are set. */
runServerProcess({
  service: 'runyard-api',
  maxConnections: 12,
  async start(platform, config, log) {
    const { binding } = config;
    const token = await ensureDevToken(platform.tokens, process.env.RUNYARD_DEV_TOKEN);
    const api = await startApi(platform, log, {
      bindings: [binding.kind === 'unix' ? { socketPath: binding.path } : binding],
      defaults: {
        model: config.defaultModel,
        environment: config.defaultEnvironment,
        environments: config.environments,
        providers: ['local'],
        hooksReach: config.hooksReach,
      },
      webUrl: config.webUrl ?? (binding.kind === 'tcp' ? addressOf(binding) : null),
      storageDirectory: config.home.storage,
      limits: config.http,
      localLeastRole: config.localSandbox.leastRole,
    });
    if (token !== null) process.stderr.write(`Your token, shown once: ${token}\n`);
    log.info({ addresses: api.addresses }, 'The API listens.');
    return () => api.close();
  },
});
