import type { HookLayer, Layer, RunLayer } from './layer.js';

/** An element of a list that stands for the list of the layer below. */
const LOWER = '...';

/** Layers as one, the lowest first. Most settings are merged key by key; the exceptions are listed here. */
export function mergeLayers(layers: readonly Layer[]): Layer {
  return layers.reduce((lower, higher) => {
    const merged = mergeTables(lower, higher) as Layer;
    for (const section of ['project', 'workflow'] as const) {
      const metadata = filled(higher[section]?.metadata) ?? lower[section]?.metadata;
      if (metadata) merged[section] = { ...merged[section], metadata };
    }
    if (merged.run) merged.run = mergeRun(merged.run, lower.run ?? {}, higher.run ?? {});
    return merged;
  }, {});
}

function mergeRun(merged: RunLayer, lower: RunLayer, higher: RunLayer): RunLayer {
  const whole: RunLayer = {
    ...present('metadata', filled(higher.metadata) ?? lower.metadata),
    ...present('inputs', higher.inputs ?? lower.inputs),
    ...present('prepare', higher.prepare ?? lower.prepare),
    ...present('artifacts', higher.artifacts ?? lower.artifacts),
    ...present('hooks', mergeHooks(lower.hooks, higher.hooks)),
  };
  const run: RunLayer = { ...merged, ...whole };
  const fallbacks = extended(lower.model?.fallbacks, higher.model?.fallbacks);
  if (fallbacks) run.model = { ...run.model, fallbacks };
  const globs = filled(higher.checkpoint?.exclude_globs) ?? lower.checkpoint?.exclude_globs;
  if (globs) run.checkpoint = { ...run.checkpoint, exclude_globs: globs };
  const allow = filled(higher.environment?.network?.allow) ?? lower.environment?.network?.allow;
  if (allow) run.environment = { ...run.environment, network: { ...run.environment?.network, allow } };
  const permissions = higher.integrations?.hosted_git?.permissions ?? lower.integrations?.hosted_git?.permissions;
  if (permissions) run.integrations = { hosted_git: { ...run.integrations?.hosted_git, permissions } };
  for (const [name, { events }] of Object.entries(higher.notifications ?? {})) {
    const list = extended(lower.notifications?.[name]?.events, events);
    if (list) run.notifications = { ...run.notifications, [name]: { ...run.notifications?.[name], events: list } };
  }
  return run;
}

/** A hook with the id of a lower one takes its place; others follow behind. */
function mergeHooks(lower: HookLayer[] | undefined, higher: HookLayer[] | undefined): HookLayer[] | undefined {
  if (!lower || !higher) return higher ?? lower;
  const byId = new Map(higher.flatMap((hook) => (hook.id === undefined ? [] : [[hook.id, hook] as const])));
  const replaced = lower.map((hook) => byId.get(hook.id ?? '') ?? hook);
  return [...replaced, ...higher.filter((hook) => !replaced.includes(hook))];
}

function extended(lower: string[] | undefined, higher: string[] | undefined): string[] | undefined {
  return higher?.flatMap((entry) => (entry === LOWER ? (lower ?? []) : [entry])) ?? lower;
}

/** Nothing for what is empty: an empty table or list does not replace a fuller one. */
function filled<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

function mergeTables(lower: unknown, higher: unknown): unknown {
  if (!isTable(lower) || !isTable(higher)) return higher;
  const replaced = Object.entries(higher).map(([key, value]) => [
    key,
    Object.hasOwn(lower, key) ? mergeTables(lower[key], value) : value,
  ]);
  return { ...lower, ...(Object.fromEntries(replaced) as object) };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
