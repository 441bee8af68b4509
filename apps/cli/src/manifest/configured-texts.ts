import { type InputValue, type Layer, mergeLayers, parseLayer, type ResolvedHook, resolveLayer } from '#libs/settings';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/** A configuration file by its path in the workspace. */
export interface Config {
  path: string;
  source: string;
}

/** What configurations say about the texts of a run, and what they have done beside it. */
export interface ConfiguredTexts {
  inputs: Record<string, InputValue>;
  goal?: string;
  /** As they are written, and the configuration they are relative to. */
  dockerfiles: { path: string; from: string }[];
  hooks: readonly ResolvedHook[];
}

/** Of two configurations the later wins. Throws a {@link CliError} with all that is wrong in them. */
export function configuredTexts(configs: readonly Config[]): ConfiguredTexts {
  const parsed = configs.map(({ path, source }) => ({ path, ...parseLayer(source, path) }));
  const faults = parsed.flatMap((config) => ('faults' in config ? config.faults : []));
  if (faults.length > 0) throw new CliError(faults.join('\n'), exitCodes.misuse);

  const read = parsed.flatMap((config) => ('layer' in config ? [config] : []));
  const merged = mergeLayers(read.map(({ layer }) => layer));
  const { inputs = {}, goal } = merged.run ?? {};
  return {
    inputs,
    // The compiler reads a goal that is a reference, seen from the workflow.
    ...(goal !== undefined && { goal: typeof goal === 'string' ? goal : `@${goal.file}` }),
    dockerfiles: read.flatMap(({ layer, path: from }) => dockerfilesOf(layer).map((path) => ({ path, from }))),
    hooks: resolveLayer(merged).run.hooks,
  };
}

function dockerfilesOf({ environments = {}, run }: Layer): string[] {
  return [...Object.values(environments), run?.environment]
    .map((environment) => environment?.image?.dockerfile)
    .flatMap((dockerfile) => (typeof dockerfile === 'object' ? [dockerfile.path] : []));
}
