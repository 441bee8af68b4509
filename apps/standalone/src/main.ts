import path from 'node:path';
import {
  addressOf,
  homeOf,
  removeServerRecord,
  serverConfig,
  takeEnvironment,
  writeServerRecord,
  type ServerConfig,
} from '#libs/config';
import { startApi } from '../../api/src/index.js';
import { createLogger, endWith, listenForOperators, openPlatform, untilSignal } from '#libs/server-runtime';
import { startWorker } from '../../worker/src/index.js';
import { closeHome } from './close-home.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { settingsOf, signLocalClientIn } from './first-start.js';
import { greeting } from './greeting.js';
import { claimHome, releaseHome } from './home-lock.js';
import { serverFlags } from './server-flags.js';
import { usablePort } from './usable-port.js';

const GRACE_MS = 5_000;
const LOOPBACK = '127.0.0.1';

/** What the server makes is its owner's alone; what commands of runs make is as open as it would be without the server. */
const commandUmask = process.umask(0o077);

/** API, scheduler and worker in one process, on a PostgreSQL of its own unless DATABASE_URL names another. */
async function main(): Promise<void> {
  const askedToEnd = untilSignal();
  takeEnvironment();
  const { config: settingsFile, ...flags } = serverFlags(process.argv.slice(2));
  const home = homeOf({ ...process.env, ...(settingsFile !== undefined && { RUNYARD_CONFIG: settingsFile }) });
  await claimHome(home);
  try {
    await closeHome(home);
    await serveOnDatabase(serverConfig(home, await settingsOf(home), process.env, flags), askedToEnd);
  } finally {
    await releaseHome(home);
  }
}

/** Serves on the user's PostgreSQL, or on one that lives as long as this server. */
async function serveOnDatabase(config: ServerConfig, askedToEnd: Promise<NodeJS.Signals>): Promise<void> {
  const { home, databaseUrl } = config;
  if (databaseUrl !== null) return serve(config, databaseUrl, askedToEnd);

  const log = path.join(path.dirname(home.serverLog), 'postgres.log');
  const embedded = await EmbeddedPostgres.start(home.database, log);
  try {
    await serve(config, embedded.connectionString, askedToEnd);
  } finally {
    await embedded.stop();
  }
}

/** Serves from here on, until it is asked to end. */
async function serve(config: ServerConfig, databaseUrl: string, askedToEnd: Promise<NodeJS.Signals>): Promise<void> {
  const { home, binding, webPort } = config;
  const log = createLogger(config.logLevel, 'runyard');
  const platform = await openPlatform({ config, databaseUrl, service: 'runyard', maxConnections: 16, log });
  const address = addressOf(binding);
  const main = binding.kind === 'unix' ? { socketPath: binding.path } : binding;
  const web = webPort === null ? [] : [{ host: LOOPBACK, port: await usablePort(webPort) }];
  const url = config.webUrl ?? (web[0] ? `http://${LOOPBACK}:${web[0].port}` : addressOf(binding));
  const { user: localUser, leastRole: localLeastRole } = config.localSandbox;
  const worker = await startWorker(platform, log, {
    slots: config.workerSlots,
    sandboxDirectory: home.sandboxes,
    // The socket is the server's user's own.
    apiAddress: localUser === null ? address : url,
    hooksReach: config.hooksReach,
    commandUmask,
    localUser,
  });
  const api = await startApi(platform, log, {
    bindings: [main, ...web],
    defaults: {
      model: config.defaultModel,
      environment: config.defaultEnvironment,
      environments: config.environments,
      providers: ['local'],
      hooksReach: config.hooksReach,
    },
    webUrl: url,
    storageDirectory: config.home.storage,
    limits: config.http,
    localLeastRole,
  });
  const token = await signLocalClientIn(platform, home, [...new Set([address, url])]);
  await writeServerRecord(home, {
    pid: process.pid,
    address,
    url,
    database_url: config.databaseUrl === null ? databaseUrl : null,
    started_at: new Date().toISOString(),
  });
  platform.upkeep.start();
  const { operationsBinding } = config;
  const operations = operationsBinding && (await listenForOperators(operationsBinding, platform.observability, log));
  const isPortTaken = webPort !== null && webPort !== 0 && web[0]?.port !== webPort;
  process.stdout.write(greeting({ address, url, token, portTaken: isPortTaken ? webPort : null }));

  const signal = await askedToEnd;
  log.info({ signal }, 'The server shuts down.');
  platform.observability.readiness.end();
  await removeServerRecord(home);
  await api.close();
  await worker.stop(GRACE_MS);
  await operations?.close();
  await platform.close();
}

main().catch(endWith);
