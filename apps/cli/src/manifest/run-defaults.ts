import { parse } from 'smol-toml';
import { messageOf } from '#libs/kernel';
import type { InputValue } from '#libs/language';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/** What a configuration says about the texts of a run. Paths are relative to it. */
export interface RunDefaults {
  inputs?: Record<string, InputValue>;
  goal?: string | { file: string };
  dockerfiles: string[];
}

/**
 * Reads as much of a configuration as decides what travels and what templates know. Whether all of it is right is the
 * server's to say: what is not of its type counts as absent. Throws a {@link CliError} for what is no TOML.
 */
export function runDefaults(source: string, file: string): RunDefaults {
  const document = tomlOf(source, file);
  const inputs = valueAt(document, 'run', 'inputs');
  const goal = valueAt(document, 'run', 'goal');
  const goalFile = valueAt(goal, 'file');
  const environments = valueAt(document, 'environments');
  return {
    ...(isTable(inputs) && { inputs: Object.fromEntries(Object.entries(inputs).filter(isInput)) }),
    ...(typeof goal === 'string' && { goal }),
    ...(typeof goalFile === 'string' && { goal: { file: goalFile } }),
    dockerfiles: Object.values(isTable(environments) ? environments : {})
      .map((environment) => valueAt(environment, 'image', 'dockerfile', 'path'))
      .filter((path) => typeof path === 'string'),
  };
}

function tomlOf(source: string, file: string): unknown {
  try {
    return parse(source);
  } catch (thrown) {
    throw new CliError(`${file} is no TOML: ${messageOf(thrown)}`, exitCodes.misuse);
  }
}

function valueAt(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((table, key) => (isTable(table) && Object.hasOwn(table, key) ? table[key] : undefined), value);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isInput(entry: [string, unknown]): entry is [string, InputValue] {
  return ['string', 'number', 'boolean'].includes(typeof entry[1]);
}
