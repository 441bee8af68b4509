import { maskTokensIn, withoutCredentials, type JsonObject } from '#libs/kernel';
import type { RunSpec } from './shapes.js';

const HIDDEN = 'REDACTED';

/** The parts of a run's settings that name variables, headers and addresses. */
interface TellingSettings {
  environments?: Record<string, JsonObject>;
  run?: {
    environment?: JsonObject;
    prepare?: { steps?: JsonObject[] };
    agent?: { mcps?: Record<string, { transport: JsonObject }> };
    hooks?: JsonObject[];
  };
}

/**
 * What a run was made of as readers may see it: variables and headers by their names, addresses without what lets their
 * reader in, tokens of this service masked. The stored definition, which workers execute, has the true values.
 */
export function shownSpec<T extends Partial<RunSpec>>(spec: T): T {
  const shown = spec.settings ? { ...spec, settings: shownSettings(spec.settings) } : spec;
  return maskTokensIn(shown as unknown as JsonObject) as unknown as T;
}

function shownSettings(settings: JsonObject): JsonObject {
  const { environments, run } = settings as TellingSettings;
  const { environment, prepare, agent, hooks } = run ?? {};
  const shownRun = {
    ...run,
    ...(environment && { environment: withoutValues(environment) }),
    ...(prepare?.steps && { prepare: { ...prepare, steps: prepare.steps.map(withoutValues) } }),
    ...(agent?.mcps && {
      agent: { ...agent, mcps: each(agent.mcps, (mcp) => ({ ...mcp, transport: withoutValues(mcp.transport) })) },
    }),
    ...(hooks && { hooks: hooks.map(withoutValues) }),
  };
  return {
    ...settings,
    ...(environments && { environments: each(environments, withoutValues) }),
    ...(run && { run: shownRun }),
  };
}

/** An entry of the settings with only the names of its variables and headers. */
function withoutValues(entry: JsonObject): JsonObject {
  const { env, headers, url } = entry;
  return {
    ...entry,
    ...(env && { env: each(env as JsonObject, () => HIDDEN) }),
    ...(headers && { headers: each(headers as JsonObject, () => HIDDEN) }),
    ...(typeof url === 'string' && { url: withoutCredentials(url) }),
  };
}

function each<T, R>(members: Record<string, T>, shown: (member: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, shown(member)]));
}
