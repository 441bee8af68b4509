import path from 'node:path';
import type { components } from '#libs/api-client';
import type { Home } from '#libs/config';
import { parseLayer } from '#libs/settings';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { projectAround } from './project-around.js';
import { readOwnText, type Workspace } from './workspace.js';

type WorkflowConfig = components['schemas']['ManifestWorkflowConfig'];
type ProjectConfig = components['schemas']['ManifestConfig'] & { path: string; source: string };

/** The `workflow.toml` beside a workflow, when its `graph` names that very file. */
export async function workflowConfig(workspace: Workspace, workflow: string): Promise<WorkflowConfig | undefined> {
  const file = path.join(path.dirname(path.resolve(workspace.root, workflow)), 'workflow.toml');
  const source = await readOwnText(file);
  if (source === undefined) return undefined;
  const graph = path.resolve(path.dirname(file), graphIn(source, file));
  if (graph !== path.resolve(workspace.root, workflow)) return undefined;
  return { path: workspace.canonical(file) ?? path.basename(file), source };
}

/** The configuration of the project around a workflow. */
export async function projectConfig(
  workspace: Workspace,
  workflow: string,
  home: Home,
): Promise<ProjectConfig | undefined> {
  const project = await projectAround(path.dirname(path.resolve(workspace.root, workflow)), home);
  if (!project) return undefined;
  const { file, source } = project;
  return { type: 'project', path: path.relative(workspace.root, file).split(path.sep).join('/'), source };
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
