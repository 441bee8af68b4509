import { ConfigError } from './errors.js';
import { parseBinding, parseOperationsBinding, type BindAddress } from './binding.js';
import { refuseExamples } from './example-secrets.js';
import type { Home } from './home.js';
import {
  LEAST_VALUE_MIB,
  LOCAL_ROLES,
  MAX_CHILDREN,
  MAX_DAYS,
  MAX_HTTP_LIMIT,
  MAX_STAGES,
  MOST_VALUE_MIB,
  type Settings,
} from './settings.js';
import { MIB, type WorkerLimits } from './worker-limits.js';

/** Flags of a server process; each wins over variable and settings file. */
export interface ServerFlags {
  bind?: string;
  model?: string;
  environment?: string;
  maxConcurrentRuns?: number;
}

export type HooksReach = 'public' | 'anywhere';

export interface ServerConfig {
  readonly home: Home;
  readonly binding: BindAddress;
  /** A second, loopback TCP port for the browser; null when the binding is TCP already. */
  readonly webPort: number | null;
  /** The address under which people reach the server, when it is not the binding's own. */
  readonly webUrl: string | null;
  /** Where health, readiness and metrics are told without a token; null when nowhere. */
  readonly operationsBinding: { host: string; port: number } | null;
  /** A PostgreSQL of the user's, or null for the embedded one. */
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly objects:
    | { kind: 'disk'; root: string }
    | { kind: 's3'; bucket: string; region: string; endpoint: string | null; prefix: string };
  /** Runs that may execute at once on all processes together; null where this process has no say in it. */
  readonly maxConcurrentRuns: number | null;
  /** Runs that the token of one run may create. */
  readonly maxChildrenPerRun: number;
  readonly defaultModel: string | null;
  readonly defaultEnvironment: string;
  readonly environments: Settings['environments'];
  readonly localSandbox: {
    /** The user of this host as whom commands work; null for the server's own. */
    readonly user: string | null;
    /** Of people who may create runs there. */
    readonly leastRole: (typeof LOCAL_ROLES)[number];
  };
  /** Runs that one worker process drives at once. */
  readonly workerSlots: number;
  readonly workerLimits: WorkerLimits;
  /** What anybody may hold of one process that serves HTTP. */
  readonly http: { maxConnections: number; streamsPerToken: number; wrongTokensPerMinute: number };
  /** Days after its end after which the log of a run moves into the object store; null when it never does. */
  readonly moveLogsAfterDays: number | null;
  /**
   * Where the hooks of runs may post to: encrypted to servers of the internet, or wherever this server reaches. With more
   * than one tenant it is `public`, whatever stands here.
   */
  readonly hooksReach: HooksReach;
  /** Where the traces of runs are posted; null when nowhere. */
  readonly tracesUrl: string | null;
  readonly logLevel: Settings['server']['logging']['level'];
}

/** One frozen object of everything a server process may ask of its surroundings. Throws a {@link ConfigError} by name. */
export function serverConfig(
  home: Home,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  flags: ServerFlags = {},
): ServerConfig {
  refuseExamples(env);
  const binding = bindingOf(home, settings, flags, env);
  const defaultEnvironment = flags.environment ?? env.RUNYARD_ENVIRONMENT ?? settings.run.environment.id;
  if (!Object.hasOwn(settings.environments, defaultEnvironment)) {
    const known = Object.keys(settings.environments).join(', ');
    throw new ConfigError(`Environment "${defaultEnvironment}" is not defined; known environments: ${known}.`);
  }
  const databaseUrl = urlOf('DATABASE_URL', env.DATABASE_URL, ['postgres:', 'postgresql:']);
  return Object.freeze({
    home,
    binding,
    webPort:
      binding.kind === 'tcp'
        ? null
        : wholeNumber('RUNYARD_WEB_PORT', env.RUNYARD_WEB_PORT, settings.server.web.port, 0, 65_535),
    webUrl: urlOf('RUNYARD_WEB_URL', env.RUNYARD_WEB_URL, ['http:', 'https:']) ?? settings.server.web.url ?? null,
    operationsBinding: env.RUNYARD_OPERATIONS_BIND ? parseOperationsBinding(env.RUNYARD_OPERATIONS_BIND) : null,
    databaseUrl,
    redisUrl: urlOf('REDIS_URL', env.REDIS_URL, ['redis:', 'rediss:']),
    objects: objectsOf(home, env),
    maxConcurrentRuns:
      flags.maxConcurrentRuns ??
      wholeNumber(
        'RUNYARD_SERVER_MAX_CONCURRENT_RUNS',
        env.RUNYARD_SERVER_MAX_CONCURRENT_RUNS,
        settings.server.scheduler.max_concurrent_runs ?? null,
        1,
        10_000,
      ),
    maxChildrenPerRun: wholeNumber(
      'RUNYARD_MAX_CHILDREN_PER_RUN',
      env.RUNYARD_MAX_CHILDREN_PER_RUN,
      settings.server.scheduler.max_children_per_run,
      0,
      MAX_CHILDREN,
    ),
    defaultModel: flags.model ?? env.RUNYARD_MODEL ?? settings.run.model.name ?? null,
    defaultEnvironment,
    environments: settings.environments,
    localSandbox: localSandboxOf(settings, env),
    workerSlots: wholeNumber('RUNYARD_WORKER_SLOTS', env.RUNYARD_WORKER_SLOTS, 32, 1, 1_000),
    workerLimits: workerLimitsOf(settings, env),
    http: httpOf(settings, env),
    moveLogsAfterDays:
      wholeNumber(
        'RUNYARD_MOVE_LOGS_AFTER_DAYS',
        env.RUNYARD_MOVE_LOGS_AFTER_DAYS,
        settings.server.retention.move_logs_after_days,
        0,
        MAX_DAYS,
      ) || null,
    // With a database of its own a server is one person's, whose runs reach what that person reaches.
    hooksReach:
      oneOf('RUNYARD_HOOKS_REACH', env.RUNYARD_HOOKS_REACH, ['public', 'anywhere']) ??
      settings.server.hooks.reach ??
      (databaseUrl === null ? 'anywhere' : 'public'),
    tracesUrl: tracesUrlOf(env),
    logLevel: oneOf('RUNYARD_LOG', env.RUNYARD_LOG, LOG_LEVELS) ?? settings.server.logging.level,
  });
}

function bindingOf(home: Home, settings: Settings, flags: ServerFlags, env: NodeJS.ProcessEnv): BindAddress {
  const wished = flags.bind ?? env.RUNYARD_BIND;
  if (wished !== undefined) return parseBinding(wished);
  const { listen } = settings.server;
  return listen.type === 'tcp' ? parseBinding(listen.address) : parseBinding(listen.path ?? home.socket);
}

function httpOf({ server: { http } }: Settings, env: NodeJS.ProcessEnv): ServerConfig['http'] {
  const limit = (name: string, fallback: number, min = 1): number =>
    wholeNumber(name, env[name], fallback, min, MAX_HTTP_LIMIT);
  return {
    maxConnections: limit('RUNYARD_MAX_CONNECTIONS', http.max_connections, 10),
    streamsPerToken: limit('RUNYARD_STREAMS_PER_TOKEN', http.streams_per_token),
    wrongTokensPerMinute: limit('RUNYARD_WRONG_TOKENS_PER_MINUTE', http.wrong_tokens_per_minute),
  };
}

function workerLimitsOf({ server: { worker } }: Settings, env: NodeJS.ProcessEnv): WorkerLimits {
  const limit = (name: string, fallback: number, min: number, max: number): number =>
    wholeNumber(name, env[name], fallback, min, max);
  return {
    stages: limit('RUNYARD_WORKER_STAGES', worker.stages, 1, MAX_STAGES),
    stagesPerRun: limit('RUNYARD_WORKER_STAGES_PER_RUN', worker.stages_per_run, 1, MAX_STAGES),
    valueMemoryBytes:
      MIB * limit('RUNYARD_WORKER_VALUE_MEMORY_MIB', worker.value_memory_mib, LEAST_VALUE_MIB, MOST_VALUE_MIB),
  };
}

/** Commands that share a user with the server read what it keeps, so they are an administrator's. */
function localSandboxOf({ sandbox: { local } }: Settings, env: NodeJS.ProcessEnv): ServerConfig['localSandbox'] {
  const { RUNYARD_LOCAL_USER: user = local.user ?? null, RUNYARD_LOCAL_LEAST_ROLE: wished = local.least_role } = env;
  const leastRole =
    wished === undefined ? (user === null ? 'admin' : 'operator') : LOCAL_ROLES.find((it) => it === wished);
  if (leastRole) return { user, leastRole };
  throw new ConfigError(`RUNYARD_LOCAL_LEAST_ROLE is "${wished}"; give one of ${LOCAL_ROLES.join(', ')}.`);
}

function objectsOf(home: Home, env: NodeJS.ProcessEnv): ServerConfig['objects'] {
  if (env.S3_BUCKET === undefined) return { kind: 'disk', root: home.objects };
  return {
    kind: 's3',
    bucket: env.S3_BUCKET,
    region: env.S3_REGION ?? env.AWS_REGION ?? 'us-east-1',
    endpoint: urlOf('S3_ENDPOINT', env.S3_ENDPOINT, ['http:', 'https:']),
    prefix: env.S3_PREFIX ?? '',
  };
}

function wholeNumber<Fallback extends number | null>(
  name: string,
  text: string | undefined,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback {
  if (text === undefined) return fallback;
  const number = Number(text);
  if (!Number.isInteger(number) || number < min || number > max) {
    throw new ConfigError(`${name} is "${text}"; give a whole number from ${min} to ${max}.`);
  }
  return number;
}

function urlOf(name: string, text: string | undefined, protocols: readonly string[]): string | null {
  if (text === undefined || text === '') return null;
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol)) {
    throw new ConfigError(`${name} is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
  }
  return text;
}

/** As OpenTelemetry has it: the variable for traces is the whole address, the other one the root of the collector's. */
function tracesUrlOf(env: NodeJS.ProcessEnv): string | null {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const [all, own] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name) =>
    urlOf(name, env[name], ['http:', 'https:']),
  );
  return own ?? (all ? `${all.replace(/\/+$/, '')}/v1/traces` : null);
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function oneOf<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word | undefined {
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (word === undefined) throw new ConfigError(`${name} is "${text}"; give one of ${words.join(', ')}.`);
  return word;
}
