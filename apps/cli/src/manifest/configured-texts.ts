import { canonicalPath, type InputValue } from '#libs/language';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import type { Bundle } from './bundle.js';
import { runDefaults } from './run-defaults.js';

/** A configuration file by its path in the workspace. */
export interface Config {
  path: string;
  source: string;
}

/** What configurations say about the texts of a run. */
export interface ConfiguredTexts {
  inputs: Record<string, InputValue>;
  goal?: string;
}

/**
 * What holds where several configurations speak, the first before the others: the goal of one, the inputs of one. The
 * files they name are taken into the bundle. Throws a {@link CliError} for one that is missing.
 */
export async function configuredTexts(
  bundle: Bundle,
  workflow: string,
  configs: readonly Config[],
): Promise<ConfiguredTexts> {
  const all = configs.map((config) => ({ ...config, ...runDefaults(config.source, config.path) }));
  for (const { path, dockerfiles } of all) {
    for (const file of dockerfiles) await take(bundle, workflow, { type: 'dockerfile', original: file, from: path });
  }
  const inputs = all.find((one) => one.inputs)?.inputs ?? {};
  const speaker = all.find(({ goal }) => goal !== undefined);
  if (speaker?.goal === undefined) return { inputs };
  const { goal, path: from } = speaker;
  const text =
    typeof goal === 'string' ? goal : await take(bundle, workflow, { type: 'file_inline', original: goal.file, from });
  return { inputs, goal: text };
}

interface ConfiguredFile {
  type: 'dockerfile' | 'file_inline';
  original: string;
  from: string;
}

async function take(bundle: Bundle, workflow: string, ref: ConfiguredFile): Promise<string> {
  const path = canonicalPath(ref.original, ref.from);
  const text = typeof path === 'string' ? await bundle.addFile(workflow, path, ref) : undefined;
  if (text !== undefined) return text;
  const problem = typeof path === 'string' ? 'which does not exist' : path.problem;
  throw new CliError(`${ref.from} names the file ${ref.original}, ${problem}.`, exitCodes.misuse);
}
