import type { ForkEdits } from './dto/fork.js';
import type { RunManifestRequest } from '../manifests/dto/run-manifest.js';

/** What another run of the same workflow does differently. Everything that is absent stays as it was. */
export type ManifestEdits = Omit<ForkEdits, 'context'>;

/** A manifest with changes in it, for another run that nobody orchestrates yet. */
export function editedManifest(
  manifest: RunManifestRequest,
  { goal, inputs = {}, model, auto_approve, workflow_source }: ManifestEdits,
): RunManifestRequest {
  const { path } = manifest.target;
  const kept = (manifest.args?.input ?? []).filter(
    (entry) => !Object.hasOwn(inputs, entry.slice(0, entry.indexOf('='))),
  );
  const input = [...kept, ...Object.entries(inputs).map(([key, value]) => `${key}=${value}`)];
  return {
    ...manifest,
    run_id: null,
    parent_id: null,
    ...(goal !== undefined && { goal: { type: 'value', text: goal } }),
    args: {
      ...manifest.args,
      ...(input.length > 0 && { input }),
      ...(model !== undefined && { model }),
      ...(auto_approve !== undefined && { auto_approve }),
    },
    ...(workflow_source !== undefined && {
      workflows: { ...manifest.workflows, [path]: { ...manifest.workflows[path]!, source: workflow_source } },
    }),
  };
}
