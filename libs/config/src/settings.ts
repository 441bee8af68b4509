import { parse } from 'smol-toml';
import { z } from 'zod';
import { messageOf } from '#libs/kernel';
import { ConfigError } from './errors.js';
import { readOwnFile } from './own-file.js';
import { DEFAULT_WORKER_LIMITS, MIB } from './worker-limits.js';

/** A hundred years. */
export const MAX_DAYS = 36_500;

export const MAX_HTTP_LIMIT = 1_000_000;

export const MAX_CHILDREN = 1_000_000;
export const MAX_STAGES = 100_000;
export const LEAST_VALUE_MIB = 16;
export const MOST_VALUE_MIB = 65_536;

/** Roles that may create runs, from the least on. */
export const LOCAL_ROLES = ['operator', 'editor', 'admin'] as const;

const environment = z.strictObject({
  provider: z.enum(['local', 'docker', 'cloud']),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  labels: z.record(z.string(), z.string()).default({}),
});

const settings = z.strictObject({
  _version: z.literal(1).default(1),
  run: z
    .strictObject({
      model: z.strictObject({ provider: z.string().optional(), name: z.string().optional() }).default({}),
      environment: z.strictObject({ id: z.string() }).default({ id: 'default' }),
    })
    .prefault({}),
  environments: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), environment)
    .default({ default: { provider: 'local', env: {}, labels: {} } }),
  sandbox: z
    .strictObject({
      local: z
        .strictObject({ user: z.string().min(1).optional(), least_role: z.enum(LOCAL_ROLES).optional() })
        .default({}),
    })
    .prefault({}),
  server: z
    .strictObject({
      auth: z.strictObject({ methods: z.array(z.enum(['dev-token'])).nonempty() }).default({ methods: ['dev-token'] }),
      listen: z
        .discriminatedUnion('type', [
          z.strictObject({ type: z.literal('unix'), path: z.string().optional() }),
          z.strictObject({ type: z.literal('tcp'), address: z.string() }),
        ])
        .default({ type: 'unix' }),
      web: z.strictObject({ port: z.int().min(0).max(65_535).default(3000), url: z.url().optional() }).prefault({}),
      hooks: z.strictObject({ reach: z.enum(['public', 'anywhere']).optional() }).prefault({}),
      scheduler: z
        .strictObject({
          max_concurrent_runs: z.int().min(1).max(10_000).optional(),
          max_children_per_run: z.int().min(0).max(MAX_CHILDREN).default(1_000),
        })
        .prefault({}),
      http: z
        .strictObject({
          max_connections: z.int().min(10).max(MAX_HTTP_LIMIT).default(10_000),
          streams_per_token: z.int().min(1).max(MAX_HTTP_LIMIT).default(20),
          wrong_tokens_per_minute: z.int().min(1).max(MAX_HTTP_LIMIT).default(20),
        })
        .prefault({}),
      worker: z
        .strictObject({
          stages: z.int().min(1).max(MAX_STAGES).default(DEFAULT_WORKER_LIMITS.stages),
          stages_per_run: z.int().min(1).max(MAX_STAGES).default(DEFAULT_WORKER_LIMITS.stagesPerRun),
          value_memory_mib: z
            .int()
            .min(LEAST_VALUE_MIB)
            .max(MOST_VALUE_MIB)
            .default(DEFAULT_WORKER_LIMITS.valueMemoryBytes / MIB),
        })
        .prefault({}),
      retention: z.strictObject({ move_logs_after_days: z.int().min(0).max(MAX_DAYS).default(0) }).prefault({}),
      logging: z
        .strictObject({ level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info') })
        .prefault({}),
    })
    .prefault({}),
});

/** The settings file, checked and with its defaults filled in. */
export type Settings = z.infer<typeof settings>;

export function parseSettings(text: string, file: string): Settings {
  let document: unknown;
  try {
    document = parse(text);
  } catch (thrown) {
    throw new ConfigError(`${file} is no TOML: ${messageOf(thrown)}`);
  }
  const result = settings.safeParse(document);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `  ${path.join('.') || '(top)'}: ${message}`);
  throw new ConfigError(`${file} cannot be used:\n${faults.join('\n')}`);
}

/** The settings of a file, or null when there is no such file. Throws a {@link ConfigError} for one that is somebody else's. */
export async function readSettings(file: string): Promise<Settings | null> {
  const bytes = await readOwnFile(file);
  return bytes === undefined ? null : parseSettings(new TextDecoder().decode(bytes), file);
}

/** What a first start writes: the embedded default, spelled out so that it can be edited. */
export const FIRST_SETTINGS = `# Runyard settings. Written on the first start; edit and start again.
_version = 1

[server.auth]
methods = ["dev-token"]

[server.scheduler]
max_concurrent_runs = 5

[server.web]
port = 3000

[run.environment]
id = "default"

# Commands of this environment run as you, on this machine.
[environments.default]
provider = "local"
`;
