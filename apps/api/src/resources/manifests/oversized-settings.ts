import { MAX_NAME_BYTES, MAX_VALUE_BYTES } from '#libs/events';
import { jsonBytes } from '#libs/kernel';
import { MAX_PATH_BYTES } from './manifest-rules.js';
import type { WorkflowSettings } from './dto/settings/workflow-settings.js';
import { quote } from '../../edge/schema/kind.js';
import { sizeProblem } from '../../edge/schema/values.js';

/** They stand in the log and in every list of runs. */
const MAX_LABELS_BYTES = 32 * 1024;
/** Half of what a process may be started with. */
const MAX_VARIABLES_BYTES = 1024 * 1024;

/** What is too large for the log, or for the processes it is handed to: a sentence for each, under its name. */
export function oversizedSettings({ workflow, run }: WorkflowSettings): string[] {
  const { cwd, env } = run.environment;
  return [
    ...objection('workflow.name', workflow.name, MAX_NAME_BYTES),
    ...objection('run.metadata, the labels of the run,', run.metadata, MAX_LABELS_BYTES),
    ...objection('run.environment.cwd', cwd, MAX_PATH_BYTES),
    ...objection('run.environment.env', env, MAX_VARIABLES_BYTES),
    ...Object.entries(env).flatMap(([name, value]) =>
      objection(`run.environment.env ${quote(name)}`, `${name}=${value}`, MAX_VALUE_BYTES),
    ),
    ...run.hooks.flatMap(({ name, command, url }) => {
      const hook = `run.hooks ${quote(name ?? '')}:`;
      return [
        ...objection(`${hook} its name`, name, MAX_NAME_BYTES),
        ...objection(`${hook} its command`, command, MAX_VALUE_BYTES),
        ...objection(`${hook} its url`, url, MAX_PATH_BYTES),
      ];
    }),
  ];
}

function objection(name: string, value: string | object | null | undefined, maxBytes: number): string[] {
  if (value === null || value === undefined) return [];
  const bytes = jsonBytes(value);
  return bytes <= maxBytes ? [] : [`${name} ${sizeProblem(bytes, maxBytes)}.`];
}
