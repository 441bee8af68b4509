import path from 'node:path';
import type { components } from '#libs/api-client';
import { parseLayer } from '#libs/settings';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { readIfExists, type Workspace } from './workspace.js';

type WorkflowConfig = components['schemas']['ManifestWorkflowConfig'];
type ProjectConfig = components['schemas']['ManifestConfig'] & { path: string; source: string };

/** The `workflow.toml` beside a workflow, when its `graph` names that very file. */
export async function workflowConfig(workspace: Workspace, workflow: string): Promise<WorkflowConfig | undefined> {
  const file = path.join(path.dirname(path.resolve(workspace.root, workflow)), 'workflow.toml');
  const source = await readIfExists(file);
  if (source === undefined) return undefined;
  const graph = path.resolve(path.dirname(file), graphIn(source, file));
  if (graph !== path.resolve(workspace.root, workflow)) return undefined;
  return { path: workspace.canonical(file) ?? path.basename(file), source };
}

/** The nearest `.runyard/project.toml`, looked for from the workflow's directory upwards. */
export async function projectConfig(workspace: Workspace, workflow: string): Promise<ProjectConfig | undefined> {
  let directory = path.dirname(path.resolve(workspace.root, workflow));
  for (;;) {
    const file = path.join(directory, '.runyard', 'project.toml');
    const source = await readIfExists(file);
    if (source !== undefined) {
      return { type: 'project', path: path.relative(workspace.root, file).split(path.sep).join('/'), source };
    }
    const parent = path.dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
}

/**
 * The path of the workflow that a `workflow.toml` configures, relative to it. Throws a {@link CliError} with all that is
 * wrong in the file: a key that is misspelt may be the one that names the workflow.
 */
export function graphIn(source: string, file: string): string {
  const parsed = parseLayer(source, file);
  if ('faults' in parsed) throw new CliError(parsed.faults.join('\n'), exitCodes.misuse);
  return parsed.layer.workflow?.graph ?? 'workflow.dot';
}
