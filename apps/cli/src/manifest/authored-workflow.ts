import path from 'node:path';
import type { components } from '#libs/api-client';
import type { Home } from '#libs/config';
import { canonicalPath, type Compilation, type InputValue } from '#libs/language';
import type { ResolvedHook } from '#libs/settings';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';
import { WorkflowBundle } from './bundle.js';
import { compileBundle } from './compile-bundle.js';
import { projectConfig } from './config-files.js';
import { configuredTexts } from './configured-texts.js';
import { locateWorkflow } from './locate-workflow.js';
import { readIfExists, type Workspace } from './workspace.js';

type Schemas = components['schemas'];

/** What was typed about the texts of a run. */
export interface TypedTexts {
  goal?: string;
  goalFile?: string;
  inputs?: Readonly<Record<string, InputValue>>;
}

/** A workflow as it lies on this machine, with all that travels with it, and what the compiler says about the whole. */
export interface AuthoredWorkflow extends Compilation {
  /** As it was typed. */
  identifier: string;
  workspace: Workspace;
  /** The path of its source in the workspace. */
  path: string;
  bundle: WorkflowBundle;
  /** What holds for more than this workflow, the strongest last. */
  configs: Schemas['ManifestConfig'][];
  /** As it was typed. */
  goal?: Schemas['ManifestGoal'];
  /** Inputs that a configuration gives a default, read or not. */
  declaredInputs: readonly string[];
  /** What its configurations have done at moments of the run. */
  hooks: readonly ResolvedHook[];
}

/** What a workflow is read for: a run is not made with names that nothing defines, a drawing is. */
export type ReadFor = 'running' | 'drawing';

/**
 * Reads a workflow and compiles it as the server will: what is found here is what creating a run finds, with the same
 * severity. Throws a {@link CliError} for what is no fault of the source: a workflow that is not there, or a
 * configuration that cannot be read or names a file that is missing.
 */
export async function readWorkflow(
  identifier: string,
  typed: TypedTexts,
  { cwd, home, readFor = 'running' }: { cwd: string; home: Home; readFor?: ReadFor },
): Promise<AuthoredWorkflow> {
  const { workspace, path: target, source, config } = await locateWorkflow(identifier, cwd, home);
  const bundle = new WorkflowBundle(workspace);
  await bundle.addWorkflow(target, source, config);
  const project = await projectConfig(workspace, target, home);
  const ofWorkflow = bundle.workflows.get(target)!.config;
  const configured = configuredTexts([project, ofWorkflow].filter((config) => config !== undefined));
  for (const { path, from } of configured.dockerfiles) await addDockerfile(bundle, target, path, from);

  const goal = await typedGoal(typed, cwd);
  const goalText = goal?.text ?? configured.goal;
  const compilation = await compileBundle(bundle, target, {
    scope: {
      inputs: { ...configured.inputs, ...typed.inputs },
      vars: {},
      undefinedIs: readFor === 'running' ? 'error' : 'warning',
    },
    ...(goalText !== undefined && { goal: goalText }),
  });
  const configs = project ? [project] : [];
  const declaredInputs = Object.keys(configured.inputs);
  const { hooks } = configured;
  const own = { identifier, workspace, path: target, bundle, configs, declaredInputs, hooks };
  return { ...own, ...compilation, ...(goal && { goal }) };
}

async function addDockerfile(bundle: WorkflowBundle, workflow: string, original: string, from: string): Promise<void> {
  const path = canonicalPath(original, from);
  const problem = typeof path === 'string' ? 'which does not exist' : path.problem;
  const ref = { type: 'dockerfile' as const, original, from };
  if (typeof path === 'string' && (await bundle.addFile(workflow, path, ref)) !== undefined) return;
  throw new CliError(`${from} names the Dockerfile ${original}, ${problem}.`, exitCodes.misuse);
}

async function typedGoal({ goal, goalFile }: TypedTexts, cwd: string): Promise<Schemas['ManifestGoal'] | undefined> {
  if (goal !== undefined && goalFile !== undefined) {
    throw new CliError('Give either --goal or --goal-file.', exitCodes.misuse);
  }
  if (goal !== undefined) return { type: 'value', text: goal };
  if (goalFile === undefined) return undefined;
  const text = await readIfExists(path.resolve(cwd, goalFile));
  if (text === undefined) throw new CliError(`--goal-file names ${goalFile}, which does not exist.`, exitCodes.misuse);
  return { type: 'file', text, path: goalFile };
}
