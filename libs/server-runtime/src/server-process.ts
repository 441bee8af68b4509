import {
  ConfigError,
  homeOf,
  parseSettings,
  readSettings,
  serverConfig,
  takeEnvironment,
  type ServerConfig,
} from '#libs/config';
import { messageOf, RunyardError } from '#libs/kernel';
import { createLogger, type Logger } from './logger.js';
import { listenForOperators } from './operations-listener.js';
import { openPlatform, type Platform } from './platform.js';
import { untilSignal } from './until-signal.js';

interface ServerProcess {
  /** Names the process in PostgreSQL and in the log. */
  service: string;
  maxConnections: number;
  /** Starts what the process is for; the returned function stops it. */
  readonly start: (platform: Platform, config: ServerConfig, log: Logger) => Promise<() => Promise<void>>;
}

/** Runs one of several server processes around one PostgreSQL until it is asked to end. */
export function runServerProcess(server: ServerProcess): void {
  run(server).catch(endWith);
}

/** Says why a server process could not run, in one sentence where the fault is the user's to mend, and ends it. */
export function endWith(thrown: unknown): void {
  process.stderr.write(`${thrown instanceof RunyardError ? messageOf(thrown) : String((thrown as Error).stack)}\n`);
  process.exit(1);
}

async function run({ service, maxConnections, start }: ServerProcess): Promise<void> {
  takeEnvironment();
  const home = homeOf(process.env);
  const config = serverConfig(home, (await readSettings(home.settings)) ?? parseSettings('', 'defaults'), process.env);
  if (config.databaseUrl === null) {
    throw new ConfigError('DATABASE_URL is not set. For a server with a database of its own start the standalone one.');
  }
  const log = createLogger(config.logLevel, service);
  const platform = await openPlatform({ config, databaseUrl: config.databaseUrl, service, maxConnections, log });
  const stop = await start(platform, config, log);
  platform.upkeep.start();
  const { operationsBinding } = config;
  const operations = operationsBinding && (await listenForOperators(operationsBinding, platform.observability, log));
  const signal = await untilSignal();
  log.info({ signal }, 'The process ends.');
  platform.observability.readiness.end();
  await stop();
  await operations?.close();
  await platform.close();
}
