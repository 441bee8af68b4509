import type { HooksReach } from '#libs/config';
import {
  contradictionsIn,
  limitsOf,
  mergeLayers,
  parseInput,
  parseLayer,
  resolveEnvironment,
  resolveLayer,
  type EnvironmentLayer,
  type InputValue,
  type Layer,
  type ResolvedHook,
  type ResolvedSettings,
} from '#libs/settings';
import { InvalidRequestError } from '../../edge/errors/request-errors.js';
import type { ManifestArgs } from './dto/manifest-parts.js';
import type { RunManifestRequest } from './dto/run-manifest.js';
import type { SandboxProviderKind } from './dto/run-sandbox.js';
import type { RunEnvironmentSettings } from './dto/settings/environment-settings.js';
import type { RunGoal } from './dto/settings/execution-settings.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { MAX_INPUTS } from './manifest-limits.js';
import { quote } from '../../edge/schema/kind.js';
import { unreadableTokens } from './interpolation.js';

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
  /** Where the workers of this server let hooks post to. */
  hooksReach: HooksReach;
}

/** Git is not touched by this server: what is on elsewhere is off here until somebody asks for it. */
const WITHOUT_GIT = { clone: { enabled: false }, run_branch: { enabled: false }, meta_branch: { enabled: false } };

/**
 * The settings a run is created with, resolved and dense. Of two layers the later wins: server, user, project, workflow,
 * arguments. Throws an `invalid` error with everything that is wrong in the files, each fault under its file and key.
 */
export function resolveSettings(manifest: RunManifestRequest, defaults: ServerDefaults): WorkflowSettings {
  const args = manifest.args ?? {};
  const merged = mergeLayers([serverLayer(defaults), ...fileLayers(manifest), argumentLayer(args)]);
  const resolved = resolveLayer({ ...merged, run: { ...merged.run, inputs: inputsOf(merged, args) } });
  const { run } = resolved;
  const environment = environmentOf(merged, args, defaults);
  const faults = [
    ...contradictionsIn(resolved),
    ...limitsOf(environment.id, environment),
    ...tooManyInputs(run.inputs),
    ...Object.entries(run.inputs).flatMap(unusableInput),
    ...unreadableTokens(environment.env, `environments.${environment.id}.env`),
    ...run.hooks.flatMap(unreadableInHook),
  ];
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return {
    project: resolved.project,
    workflow: { ...resolved.workflow, graph: manifest.target.path },
    environments: {},
    run: {
      ...run,
      goal: goalOf(run.goal),
      environment,
      hooks: run.hooks,
    },
  };
}

/** Those of the files and those of the arguments together. */
function tooManyInputs(inputs: object): string[] {
  const count = Object.keys(inputs).length;
  if (count <= MAX_INPUTS) return [];
  return [
    `run.inputs has ${count} inputs; at most ${MAX_INPUTS} are allowed. Put what belongs together into one input.`,
  ];
}

/** No text of a process and none of the database holds it; in a TOML file it can be written all the same. */
function unusableInput([key, value]: [string, unknown]): string[] {
  if (!`${key}${String(value)}`.includes('\0')) return [];
  return [`The input ${quote(key.replaceAll('\0', ''))} holds the character U+0000. Remove it.`];
}

function unreadableInHook({ name, command, url, headers }: ResolvedHook): string[] {
  const texts = { ...(command !== null && { command }), ...(url !== null && { url }), ...headers };
  return unreadableTokens(texts, `run.hooks ${quote(name)}`);
}

/** `KEY=VALUE` labels; entries without `=` are ignored, the last of a key wins. */
function labelsOf({ label = [] }: ManifestArgs): Record<string, string> {
  const entries = label.filter((entry) => entry.includes('=')).map((entry) => [keyOf(entry), valueOf(entry)] as const);
  return Object.fromEntries(entries);
}

function serverLayer({ model, environment, environments }: ServerDefaults): Layer {
  const defined = Object.entries(environments).map(([id, { provider, cwd, env, labels }]) => [
    id,
    { provider, env, labels, ...(cwd !== undefined && { cwd }) },
  ]);
  return {
    environments: Object.fromEntries(defined) as Record<string, EnvironmentLayer>,
    run: { ...WITHOUT_GIT, environment: { id: environment }, ...(model !== null && { model: { name: model } }) },
  };
}

/** What the files say that travel with a manifest, the lowest layer first. */
function fileLayers({ configs = [], workflows, target }: RunManifestRequest): Layer[] {
  const of = (wanted: 'user' | 'project') => configs.filter(({ type }) => type === wanted);
  const config = workflows[target.path]?.config;
  const files = [
    ...of('user').map(({ path, source }) => ({ path: path ?? 'settings.toml', source })),
    ...of('project').map(({ path, source }) => ({ path: path ?? 'project.toml', source })),
    ...(config ? [config] : []),
  ];
  const parsed = files.map(({ path, source }) => parseLayer(source ?? '', path));
  const faults = parsed.flatMap((file) => ('faults' in file ? file.faults : []));
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return parsed.flatMap((file) => ('layer' in file ? [file.layer] : []));
}

function argumentLayer(args: ManifestArgs): Layer {
  const { model, provider, environment, dry_run, auto_approve, preserve_sandbox } = args;
  return {
    run: {
      metadata: labelsOf(args),
      model: { ...(model !== undefined && { name: model }), ...(provider !== undefined && { provider }) },
      execution: { ...(dry_run && { mode: 'dry_run' }), ...(auto_approve && { approval: 'auto' }) },
      environment: {
        ...(environment !== undefined && { id: environment }),
        ...(preserve_sandbox !== undefined && { lifecycle: { preserve: preserve_sandbox } }),
      },
    },
  };
}

/** Inputs of the files, each key that the arguments name replaced; the last item for a key wins. */
function inputsOf({ run }: Layer, { input = [] }: ManifestArgs): Record<string, InputValue> {
  const parsed = input.map((entry) => ({ entry, ...parseInput(entry) }));
  const faults = parsed.flatMap((one) => ('problem' in one ? [`args.input ${quote(one.entry)} ${one.problem}.`] : []));
  if (faults.length > 0) throw new InvalidRequestError(faults);
  const given = parsed.flatMap((one) => ('key' in one ? [[one.key, one.value] as const] : []));
  return { ...run?.inputs, ...Object.fromEntries(given) };
}

/** The environment a run works in. `local` exists wherever the local provider does, without being defined. */
function environmentOf(merged: Layer, args: ManifestArgs, defaults: ServerDefaults): RunEnvironmentSettings {
  const { environments = {}, run } = merged;
  const id = run?.environment?.id ?? defaults.environment;
  const defined = Object.hasOwn(environments, id) ? environments[id] : id === 'local' ? {} : undefined;
  if (!defined) {
    const names = [...new Set([...Object.keys(environments), 'local'])].join(', ');
    const where = args.environment === undefined ? 'run.environment.id' : 'args.environment';
    throw new InvalidRequestError([`${where} names ${quote(id)}, which does not exist. Use one of: ${names}.`]);
  }
  const resolved = resolveEnvironment(defined, run?.environment);
  const provider = run?.execution?.mode === 'dry_run' ? 'local' : resolved.provider;
  if (!defaults.providers.includes(provider)) {
    throw new InvalidRequestError([
      `The environment "${id}" needs the sandbox provider "${provider}", which is not configured here. Available: ${defaults.providers.join(', ')}.`,
    ]);
  }
  return { id, ...resolved, provider };
}

function goalOf(goal: ResolvedSettings['run']['goal']): RunGoal | null {
  if (goal === null) return null;
  return typeof goal === 'string' ? { type: 'inline', value: goal } : { type: 'file', value: goal.file };
}

function keyOf(entry: string): string {
  return entry.slice(0, entry.indexOf('=')).trim();
}

function valueOf(entry: string): string {
  return entry.slice(entry.indexOf('=') + 1);
}
