import path from 'node:path';
import type { components } from '#libs/api-client';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { projectConfig, workflowConfig } from './config-files.js';
import { type Git, gitContext } from './git-context.js';
import { referencedFiles } from './referenced-files.js';
import { readIfExists, Workspace } from './workspace.js';

type Schemas = components['schemas'];
export type RunManifest = Schemas['RunManifest'];

/** What was typed about the run that is to be created. */
export interface RunRequest {
  /** The workflow's file, as it was typed. */
  workflow: string;
  goal?: string;
  goalFile?: string;
  title?: string;
  runId?: string;
  parent?: string;
  args: Schemas['ManifestArgs'];
}

/**
 * Everything the run needs, read from the files around it: the same files always give the same bytes. Nothing in it is
 * a secret of this machine, and no path leads out of the directory it was typed in. Throws a {@link CliError} that
 * names what is missing.
 */
export async function buildManifest(request: RunRequest, cwd: string, git: Git): Promise<RunManifest> {
  const { workflow: identifier, runId, parent, title, args } = request;
  const workspace = Workspace.around(cwd, identifier);
  const file = path.resolve(cwd, identifier);
  const source = await sourceOf(file, identifier);
  const target = workspace.canonical(file) ?? path.basename(file);
  const [goal, config, project, files, gitState] = await Promise.all([
    goalOf(request, cwd),
    workflowConfig(workspace, target),
    projectConfig(workspace, target),
    referencedFiles(workspace, target, source),
    gitContext(git),
  ]);
  return {
    version: 1,
    ...(runId !== undefined && { run_id: runId }),
    ...(parent !== undefined && { parent_id: parent }),
    ...(title !== undefined && { title }),
    cwd,
    ...(gitState && { git: gitState }),
    ...(goal && { goal }),
    ...(Object.keys(args).length > 0 && { args }),
    target: { identifier, path: target },
    ...(project && { configs: [project] }),
    workflows: { [target]: { source, ...(config && { config }), ...(Object.keys(files).length > 0 && { files }) } },
  };
}

/** The text of a workflow's file. */
export async function sourceOf(file: string, typed: string): Promise<string> {
  const source = await readIfExists(file);
  if (source !== undefined) return source;
  throw new CliError(`There is no workflow ${typed}.`, exitCodes.misuse, 'Give the path of a .dot file.');
}

async function goalOf({ goal, goalFile }: RunRequest, cwd: string): Promise<Schemas['ManifestGoal'] | undefined> {
  if (goal !== undefined) return { type: 'value', text: goal };
  if (goalFile === undefined) return undefined;
  const text = await readIfExists(path.resolve(cwd, goalFile));
  if (text === undefined) throw new CliError(`--goal-file names ${goalFile}, which does not exist.`, exitCodes.misuse);
  return { type: 'file', text, path: goalFile };
}
