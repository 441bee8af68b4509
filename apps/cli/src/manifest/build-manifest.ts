import type { components } from '#libs/api-client';
import type { AuthoredWorkflow } from './authored-workflow.js';
import type { WorkflowBundle, BundledWorkflow } from './bundle.js';
import { type Git, gitContext } from './git-context.js';

type Schemas = components['schemas'];
export type RunManifest = Schemas['RunManifest'];

/** What was typed about the run that is to be created, beside its texts. */
export interface RunRequest {
  title?: string;
  runId?: string;
  parent?: string;
  args: Schemas['ManifestArgs'];
}

/**
 * Everything the run needs: the same files always give the same bytes. Nothing in it is a secret of this machine, and no
 * path leads out of the workspace.
 */
export async function buildManifest(
  { identifier, path, bundle, configs, goal }: AuthoredWorkflow,
  { title, runId, parent, args }: RunRequest,
  cwd: string,
  git: Git,
): Promise<RunManifest> {
  const gitState = await gitContext(git);
  return {
    version: 1,
    ...(runId !== undefined && { run_id: runId }),
    ...(parent !== undefined && { parent_id: parent }),
    ...(title !== undefined && { title }),
    cwd,
    ...(gitState && { git: gitState }),
    ...(goal && { goal }),
    ...(Object.keys(args).length > 0 && { args }),
    target: { identifier, path },
    ...(configs.length > 0 && { configs }),
    workflows: workflowsOf(bundle),
  };
}

function workflowsOf({ workflows }: WorkflowBundle): RunManifest['workflows'] {
  return sorted([...workflows].map(([path, workflow]) => [path, entryOf(workflow)]));
}

function entryOf({ source, config, files }: BundledWorkflow): Schemas['ManifestWorkflow'] {
  return { source, ...(config && { config }), ...(files.size > 0 && { files: sorted([...files]) }) };
}

function sorted<T>(entries: [path: string, value: T][]): Record<string, T> {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
