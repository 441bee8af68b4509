import { parse } from 'smol-toml';
import { messageOf, type Json } from '#libs/kernel';
import { InvalidRequestError } from '../errors/request-errors.js';
import type { ManifestArgs } from '../runs/dto/manifest-parts.js';
import type { RunManifestRequest } from '../runs/dto/run-manifest.js';
import type { SandboxProviderKind } from '../runs/dto/run-sandbox.js';
import type { RunEnvironmentSettings } from '../runs/dto/settings/environment-settings.js';
import type { ProjectNamespace, WorkflowSettings } from '../runs/dto/settings/workflow-settings.js';

/** What a server adds to every run's settings. */
export interface ServerDefaults {
  model: string | null;
  environment: string;
  environments: Readonly<
    Record<
      string,
      {
        provider: SandboxProviderKind;
        cwd?: string | undefined;
        env: Record<string, string>;
        labels: Record<string, string>;
      }
    >
  >;
  /** Sandbox providers that some worker of this server has. */
  providers: readonly SandboxProviderKind[];
}

/** The settings a run is created with, resolved and dense: what the manifest says over what the server says. */
export function resolveSettings(
  manifest: RunManifestRequest,
  goal: string,
  defaults: ServerDefaults,
): WorkflowSettings {
  const args = manifest.args ?? {};
  const config = manifest.workflows[manifest.target.path]?.config;
  const workflow = namespaceOf(config?.source, config?.path ?? 'workflow.toml', 'workflow');
  const project = manifest.configs?.find(({ type }) => type === 'project');
  for (const { source, path, type } of manifest.configs ?? []) namespaceOf(source, path ?? type, 'project');
  return {
    project: namespaceOf(project?.source, project?.path ?? 'project.toml', 'project'),
    workflow: { ...workflow, graph: manifest.target.path },
    environments: {},
    run: {
      goal: goal === '' ? null : { type: 'inline', value: goal },
      working_dir: null,
      metadata: labelsOf(args),
      inputs: inputsOf(args),
      model: { provider: args.provider ?? null, name: args.model ?? defaults.model, fallbacks: [] },
      git: { author: { name: null, email: null } },
      prepare: { steps: [], timeout_ms: 300_000 },
      execution: { mode: args.dry_run ? 'dry_run' : 'normal', approval: args.auto_approve ? 'auto' : 'prompt' },
      checkpoint: { exclude_globs: [], skip_git_hooks: false },
      clone: { enabled: false },
      run_branch: { enabled: false, push: false },
      meta_branch: { enabled: false, push: false },
      environment: environmentOf(args, defaults),
      notifications: {},
      interviews: { provider: null, chat: null },
      agent: { service_tools: false, mcps: {} },
      hooks: [],
      scm: { provider: null, owner: null, repository: null, hosted_git: null },
      pull_request: null,
      artifacts: { include: [] },
      integrations: { hosted_git: { permissions: {} } },
    },
  };
}

/** `KEY=VALUE` labels; entries without `=` are ignored, the last of a key wins. */
export function labelsOf({ label = [] }: ManifestArgs): Record<string, string> {
  return Object.fromEntries(label.filter((entry) => entry.includes('=')).map(split));
}

/** `KEY=VALUE` inputs, the value read as a TOML scalar, else as the text it is. */
function inputsOf({ input = [] }: ManifestArgs): Record<string, Json> {
  return Object.fromEntries(input.map(split).map(([key, text]) => [key, scalar(text)]));
}

function split(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return [entry.slice(0, at).trim(), entry.slice(at + 1)];
}

function scalar(text: string): Json {
  try {
    const { value } = parse(`value = ${text}`);
    return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Json) : text;
  } catch {
    return text;
  }
}

/** The environment a run works in. `local` exists wherever the local provider does, without being defined. */
function environmentOf(args: ManifestArgs, defaults: ServerDefaults): RunEnvironmentSettings {
  const id = args.environment ?? defaults.environment;
  const known = Object.hasOwn(defaults.environments, id) ? defaults.environments[id] : undefined;
  const environment = known ?? (id === 'local' ? { provider: 'local' as const, env: {}, labels: {} } : undefined);
  if (!environment) {
    const names = [...new Set([...Object.keys(defaults.environments), 'local'])].join(', ');
    throw new InvalidRequestError([`args.environment names "${id}", which does not exist. Use one of: ${names}.`]);
  }
  const provider = args.dry_run ? 'local' : environment.provider;
  if (!defaults.providers.includes(provider)) {
    throw new InvalidRequestError([
      `args.environment names "${id}", whose sandbox provider "${provider}" is not configured here. Available: ${defaults.providers.join(', ')}.`,
    ]);
  }
  return {
    id,
    provider,
    cwd: environment.cwd ?? null,
    image: { docker: null, dockerfile: null },
    resources: { cpu: null, memory: null, disk: null },
    network: { mode: 'allow_all', allow: [] },
    lifecycle: { preserve: args.preserve_sandbox ?? false, stop_on_terminal: true, auto_stop: null },
    labels: environment.labels,
    env: environment.env,
  };
}

/**
 * Name and description from a configuration file. Whatever else it sets would change how the run executes, and is
 * refused rather than passed over.
 */
function namespaceOf(
  source: string | null | undefined,
  file: string,
  section: 'workflow' | 'project',
): ProjectNamespace {
  const document = readToml(source ?? '', file);
  const faults = Object.keys(document)
    .filter((key) => !['_version', 'workflow', 'project'].includes(key))
    .map(
      (key) =>
        `${file} sets "${key}", which this server does not read from configuration files. Remove it, or use the run's arguments.`,
    );
  if (faults.length > 0) throw new InvalidRequestError(faults);
  const { name, description, metadata } = (document[section] ?? {}) as Partial<ProjectNamespace>;
  return { name: name ?? null, description: description ?? null, metadata: metadata ?? {} };
}

function readToml(source: string, file: string): Record<string, unknown> {
  try {
    return parse(source);
  } catch (thrown) {
    throw new InvalidRequestError([`${file} is no TOML: ${messageOf(thrown)}`]);
  }
}
