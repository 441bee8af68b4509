import type { EnvironmentLayer, Layer, McpServerLayer, RunLayer } from './layer.js';
import { resolveHooks } from './resolve-hooks.js';
import { printDuration } from './values.js';

type Namespace = NonNullable<Layer['project']>;

/** The settings of a run with nothing left open: what no layer says is the built-in default. */
export type ResolvedSettings = ReturnType<typeof resolveLayer>;

const PREPARE_TIMEOUT_MS = 300_000;
const CLONE_DEPTH = 100;
const MCP_STARTUP_MS = 10_000;
const MCP_TOOL_MS = 60_000;

/** Fills a merged layer with the defaults. The environment is chosen separately: see {@link resolveEnvironment}. */
export function resolveLayer({ project, workflow, environments = {}, run = {} }: Layer) {
  const isBranchOn = run.run_branch?.enabled ?? true;
  return {
    project: namespace(project),
    workflow: { ...namespace(workflow), graph: workflow?.graph ?? null },
    environments,
    run: {
      goal: run.goal ?? null,
      working_dir: run.working_dir ?? null,
      metadata: run.metadata ?? {},
      inputs: run.inputs ?? {},
      model: {
        provider: run.model?.provider ?? null,
        name: run.model?.name ?? null,
        fallbacks: run.model?.fallbacks ?? [],
        controls: {
          reasoning_effort: run.model?.controls?.reasoning_effort ?? null,
          speed: run.model?.controls?.speed ?? null,
        },
      },
      git: { author: { name: run.git?.author?.name ?? null, email: run.git?.author?.email ?? null } },
      prepare: {
        steps: (run.prepare?.steps ?? []).map(({ script, command = [], env }) => ({
          ...(script === undefined ? { type: 'command' as const, command } : { type: 'script' as const, script }),
          ...(env && { env }),
        })),
        timeout_ms: run.prepare?.timeout ?? PREPARE_TIMEOUT_MS,
      },
      execution: { mode: run.execution?.mode ?? 'normal', approval: run.execution?.approval ?? 'prompt' },
      checkpoint: {
        exclude_globs: run.checkpoint?.exclude_globs ?? [],
        skip_git_hooks: run.checkpoint?.skip_git_hooks ?? false,
      },
      clone: { enabled: run.clone?.enabled ?? true, depth: run.clone?.depth ?? CLONE_DEPTH },
      run_branch: { enabled: isBranchOn, push: run.run_branch?.push ?? true },
      meta_branch: { enabled: isBranchOn && (run.meta_branch?.enabled ?? true), push: run.meta_branch?.push ?? true },
      notifications: Object.fromEntries(
        Object.entries(run.notifications ?? {}).map(([name, { enabled, provider, events, chat }]) => [
          name,
          { enabled: enabled ?? false, provider: provider ?? null, events: events ?? [], chat: channel(chat) },
        ]),
      ),
      interviews: { provider: run.interviews?.provider ?? null, chat: channel(run.interviews?.chat) },
      agent: {
        service_tools: run.agent?.runyard_tools ?? false,
        mcps: Object.fromEntries(
          Object.entries(run.agent?.mcps ?? {})
            .filter(([, { enabled }]) => enabled ?? true)
            .map(([name, server]) => [name, mcpServer(name, server)]),
        ),
      },
      hooks: resolveHooks(run.hooks ?? []),
      scm: {
        provider: run.scm?.provider ?? null,
        owner: run.scm?.owner ?? null,
        repository: run.scm?.repository ?? null,
        hosted_git: run.scm?.hosted_git ?? null,
      },
      pull_request: run.pull_request?.enabled
        ? {
            enabled: true,
            draft: run.pull_request.draft ?? true,
            auto_merge: run.pull_request.auto_merge ?? false,
            merge_strategy: run.pull_request.merge_strategy ?? ('squash' as const),
          }
        : null,
      artifacts: { include: run.artifacts?.include ?? [] },
      integrations: {
        hosted_git: {
          permissions: run.integrations?.hosted_git?.permissions ?? {},
          additional_repositories: run.integrations?.hosted_git?.additional_repositories ?? [],
        },
      },
    },
  };
}

/** What a run's settings contradict in themselves: sentences. */
export function contradictionsIn({ run }: ResolvedSettings): string[] {
  const { pull_request, run_branch } = run;
  if (!pull_request || (run_branch.enabled && run_branch.push)) return [];
  return ['run.pull_request.enabled needs run.run_branch.enabled and run.run_branch.push.'];
}

/** A defined environment with what the run says over it. */
export function resolveEnvironment(defined: EnvironmentLayer, over: RunLayer['environment'] = {}) {
  const { image, resources, network, lifecycle } = defined;
  const allow = over.network?.allow?.length ? over.network.allow : (network?.allow ?? []);
  const dockerfile = over.image?.dockerfile ?? image?.dockerfile;
  const autoStop = over.lifecycle?.auto_stop ?? lifecycle?.auto_stop;
  return {
    provider: defined.provider ?? ('local' as const),
    cwd: defined.cwd ?? null,
    image: { docker: over.image?.docker ?? image?.docker ?? null, dockerfile: dockerfileOf(dockerfile) },
    resources: {
      cpu: over.resources?.cpu ?? resources?.cpu ?? null,
      memory: over.resources?.memory ?? resources?.memory ?? null,
      disk: over.resources?.disk ?? resources?.disk ?? null,
    },
    network: {
      mode:
        over.network?.mode ??
        network?.mode ??
        (allow.length > 0 ? ('cidr_allow_list' as const) : ('allow_all' as const)),
      allow,
    },
    lifecycle: {
      preserve: over.lifecycle?.preserve ?? lifecycle?.preserve ?? false,
      stop_on_terminal: over.lifecycle?.stop_on_terminal ?? lifecycle?.stop_on_terminal ?? true,
      auto_stop: autoStop === undefined ? null : printDuration(autoStop),
    },
    labels: { ...defined.labels, ...over.labels },
    env: { ...defined.env, ...over.env },
  };
}

interface Limited {
  provider: string;
  network: { mode: string };
}

/** What the provider of an environment cannot do: it is refused where it would weaken what was asked for. */
export function limitsOf(id: string, { provider, network }: Limited): string[] {
  const refused =
    provider === 'local' ? network.mode !== 'allow_all' : provider === 'docker' && network.mode === 'cidr_allow_list';
  return refused ? [`environments.${id}: the provider "${provider}" has no network mode "${network.mode}".`] : [];
}

function dockerfileOf(dockerfile: string | { path: string } | undefined) {
  if (dockerfile === undefined) return null;
  return typeof dockerfile === 'string'
    ? { type: 'inline' as const, value: dockerfile }
    : { type: 'path' as const, path: dockerfile.path };
}

function namespace({ name, description, metadata }: Namespace = {}) {
  return { name: name ?? null, description: description ?? null, metadata: metadata ?? {} };
}

function channel(chat: { channel?: string | undefined } | undefined) {
  return chat ? { channel: chat.channel ?? null } : null;
}

function mcpServer(name: string, server: McpServerLayer) {
  return {
    name,
    transport: transportOf(server),
    startup_timeout_secs: Math.ceil((server.startup_timeout ?? MCP_STARTUP_MS) / 1_000),
    tool_timeout_secs: Math.ceil((server.tool_timeout ?? MCP_TOOL_MS) / 1_000),
  };
}

function transportOf({ type, script, command, url, headers, protocol, port, env }: McpServerLayer) {
  const words = command ?? ['sh', '-c', script ?? ''];
  switch (type) {
    case 'http':
      return { type, protocol: protocol ?? 'streamable_http', url: url ?? '', headers: headers ?? {} };
    case 'sandbox':
      return { type, protocol: protocol ?? 'streamable_http', command: words, port: port ?? 0, env: env ?? {} };
    default:
      return { type: 'stdio' as const, command: words, env: env ?? {} };
  }
}
