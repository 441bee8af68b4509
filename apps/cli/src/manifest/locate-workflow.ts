import path from 'node:path';
import type { Home } from '#libs/config';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { graphIn } from './config-files.js';
import { projectAround } from './project-around.js';
import { isInside, readOwnText, Workspace } from './workspace.js';

/** A workflow that is there. */
export interface LocatedWorkflow {
  /** Where its files are taken from. */
  workspace: Workspace;
  /** The path of its source in the workspace. */
  path: string;
  source: string;
  /** The `workflow.toml` it was found by. */
  config?: { path: string; source: string };
}

/**
 * The workflow that was typed: a path when it has an extension, else a name, which is looked for in the project and then
 * among the user's own. Throws a {@link CliError} when there is none.
 */
export async function locateWorkflow(typed: string, cwd: string, home: Home): Promise<LocatedWorkflow> {
  const extension = path.extname(typed);
  if (extension === '') return byName(typed, cwd, home);
  const file = path.resolve(cwd, typed);
  const root =
    (await projectAround(path.dirname(file), home))?.root ?? (isInside(cwd, file) ? cwd : path.dirname(file));
  const found = await (extension === '.toml' ? configured(file, root) : located(file, root));
  if (found) return found;
  throw new CliError(`There is no workflow ${typed}.`, exitCodes.misuse, 'Give the path of a .dot file.');
}

async function byName(name: string, cwd: string, home: Home): Promise<LocatedWorkflow> {
  const project = (await projectAround(cwd, home))?.root;
  const own = path.join(home.directory, 'workflows');
  const folders = [
    ...(project === undefined ? [] : [{ root: project, folder: path.join(project, '.runyard', 'workflows') }]),
    { root: own, folder: own },
  ];
  for (const { root, folder } of folders) {
    if (!isInside(folder, path.join(folder, name))) continue;
    const found = await configured(path.join(folder, name, 'workflow.toml'), root);
    if (found) return found;
  }
  const looked = folders.map(({ folder }) => path.join(folder, name, 'workflow.toml')).join(' and ');
  const noProject =
    project === undefined
      ? `\n  No .runyard/project.toml here or above, so this is no project. Make one with: runyard init ${name}`
      : '';
  throw new CliError(
    `There is no workflow named ${name}.`,
    exitCodes.misuse,
    `Looked for ${looked}. A path needs its extension: ${name}.dot${noProject}`,
  );
}

/** The workflow that a `workflow.toml` names; undefined when there is no such file. */
async function configured(config: string, root: string): Promise<LocatedWorkflow | undefined> {
  const source = await readOwnText(config);
  if (source === undefined) return undefined;
  const graph = path.resolve(path.dirname(config), graphIn(source, config));
  const found = await located(graph, root);
  if (found) return { ...found, config: { path: found.workspace.canonical(config)!, source } };
  throw new CliError(`${config} names the workflow ${graph}, which does not exist.`, exitCodes.misuse);
}

async function located(file: string, root: string): Promise<LocatedWorkflow | undefined> {
  const workspace = new Workspace(root);
  const canonical = workspace.canonical(file);
  if (canonical === undefined) throw new CliError(`${file} lies outside of ${root}.`, exitCodes.misuse);
  const source = await workspace.read(canonical);
  return source === undefined ? undefined : { workspace, path: canonical, source };
}
