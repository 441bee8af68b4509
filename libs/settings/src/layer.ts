import { z } from 'zod';
import { HOOK_EVENTS } from './hook-events.js';
import { cidr, duration, scalar, size, text, textMap, texts } from './values.js';

const flag = z.boolean();
const ENVIRONMENT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

const namespace = { name: text, description: text, metadata: textMap };

/** What can be said about an environment where it is defined and where a run chooses it. */
const placement = {
  image: z.strictObject({ docker: text, dockerfile: z.union([text, z.strictObject({ path: text })]) }).partial(),
  resources: z.strictObject({ cpu: z.int().min(1), memory: size, disk: size }).partial(),
  network: z.strictObject({ mode: z.enum(['allow_all', 'block', 'cidr_allow_list']), allow: z.array(cidr) }).partial(),
  lifecycle: z.strictObject({ preserve: flag, stop_on_terminal: flag, auto_stop: duration }).partial(),
  labels: textMap,
  env: textMap,
};

const environment = z
  .strictObject({ provider: z.enum(['local', 'docker', 'cloud']), cwd: text, ...placement })
  .partial();

/** A command line is a script for a shell, or a list of words; never both. */
const started = { script: text, command: texts.min(1) };

function onlyOne(...keys: string[]) {
  return (entry: object): boolean => keys.filter((key) => Object.hasOwn(entry, key)).length === 1;
}

const step = z
  .strictObject({ ...started, env: textMap })
  .partial()
  .refine(onlyOne('script', 'command'), 'exactly one of script or command must be set');

const mcpServer = z
  .strictObject({
    type: z.enum(['stdio', 'http', 'sandbox']),
    ...started,
    url: text,
    headers: textMap,
    protocol: z.enum(['streamable_http', 'sse']),
    port: z.int().min(1).max(65_535),
    env: textMap,
    enabled: flag,
    startup_timeout: duration,
    tool_timeout: duration,
  })
  .partial()
  .required({ type: true })
  .refine(({ type, url }) => (type === 'http') === (url !== undefined), 'exactly the type http has a url')
  .refine(
    (entry) => entry.type === 'http' || onlyOne('script', 'command')(entry),
    'exactly one of script or command must be set',
  )
  .refine(({ type, port }) => (type === 'sandbox') === (port !== undefined), 'exactly the type sandbox has a port');

const hook = z
  .strictObject({
    id: text,
    name: text,
    event: z.enum(HOOK_EVENTS),
    matcher: text,
    blocking: flag,
    timeout: duration,
    sandbox: flag,
    ...started,
    url: text,
    headers: textMap,
    tls: z.enum(['verify', 'no_verify', 'off']),
    prompt: text,
    agent: z.literal('enabled'),
    model: text,
    max_tool_rounds: z.int().min(1),
  })
  .partial()
  .required({ event: true })
  .refine(onlyOne('script', 'command', 'url', 'prompt'), 'exactly one of script, command, url or prompt must be set')
  .refine(
    ({ url, tls }) => url === undefined || hasScheme(url, tls),
    'the url must be https, or http with tls = "off"',
  );

/** Whether a hook's URL is spoken to as its `tls` says: encrypted, unless that is off. */
function hasScheme(url: string, tls: 'verify' | 'no_verify' | 'off' = 'verify'): boolean {
  return url.startsWith('https://') || (tls === 'off' && url.startsWith('http://'));
}

const notification = z
  .strictObject({ enabled: flag, provider: text, events: texts, chat: z.strictObject({ channel: text }).partial() })
  .partial();

const branch = z.strictObject({ enabled: flag, push: flag }).partial();

const run = z
  .strictObject({
    goal: z.union([text, z.strictObject({ file: text })]),
    working_dir: text,
    metadata: textMap,
    inputs: z.record(z.string(), scalar),
    model: z
      .strictObject({
        provider: text,
        name: text,
        fallbacks: texts,
        controls: z.strictObject({ reasoning_effort: text, speed: text }).partial(),
      })
      .partial(),
    git: z.strictObject({ author: z.strictObject({ name: text, email: text }).partial() }).partial(),
    prepare: z.strictObject({ steps: z.array(step), timeout: duration }).partial(),
    execution: z.strictObject({ mode: z.enum(['normal', 'dry_run']), approval: z.enum(['prompt', 'auto']) }).partial(),
    checkpoint: z.strictObject({ exclude_globs: texts, skip_git_hooks: flag, commit_timeout: duration }).partial(),
    clone: z.strictObject({ enabled: flag, depth: z.int().min(0) }).partial(),
    run_branch: branch,
    meta_branch: branch,
    environment: z.strictObject({ id: text, ...placement }).partial(),
    notifications: z.record(z.string(), notification),
    interviews: z.strictObject({ provider: text, chat: z.strictObject({ channel: text }).partial() }).partial(),
    agent: z.strictObject({ runyard_tools: flag, mcps: z.record(z.string(), mcpServer) }).partial(),
    hooks: z.array(hook),
    scm: z.strictObject({ provider: text, owner: text, repository: text, hosted_git: z.looseObject({}) }).partial(),
    pull_request: z
      .strictObject({
        enabled: flag,
        draft: flag,
        auto_merge: flag,
        merge_strategy: z.enum(['squash', 'merge', 'rebase']),
      })
      .partial(),
    artifacts: z.strictObject({ include: texts }).partial(),
    integrations: z
      .strictObject({
        hosted_git: z.strictObject({ permissions: textMap, additional_repositories: texts }).partial(),
      })
      .partial(),
  })
  .partial();

/** One settings file, of whichever layer: all of it optional, nothing unknown. Durations are milliseconds. */
export const layer = z
  .strictObject({
    _version: z.int().refine((version) => version === 1, { error: ({ input }) => newerVersion(input) }),
    project: z.strictObject({ ...namespace, directory: text }).partial(),
    workflow: z.strictObject({ ...namespace, graph: text }).partial(),
    environments: z.record(z.string().regex(ENVIRONMENT_ID, 'must be a slug of a-z, 0-9 and "-"'), environment),
    run,
    /** These are about a server or a client, not about a run: each reads its own. */
    cli: z.unknown(),
    server: z.unknown(),
    llm: z.unknown(),
  })
  .partial();

export type Layer = z.output<typeof layer>;
export type RunLayer = NonNullable<Layer['run']>;
export type EnvironmentLayer = z.output<typeof environment>;
export type McpServerLayer = z.output<typeof mcpServer>;
export type HookLayer = z.output<typeof hook>;

function newerVersion(input: unknown): string {
  const isNewer = typeof input === 'number' && input > 1;
  return isNewer ? `settings schema version ${input} is newer than this build supports` : 'must be 1';
}
