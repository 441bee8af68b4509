import { asksModel, standingAfter, type ModelClient, type Step, type Walk } from '#libs/engine';
import type { FailureDetail } from '#libs/events';
import { InvariantError, messageOf } from '#libs/kernel';
import type { OpenRun } from './open-run.js';
import { workersLost } from './poison.js';

/** What a run does first in the hands of a worker: begin, go on where the last one left it, or end. */
export async function firstStep(run: OpenRun): Promise<Step> {
  const { claimed, walk, parts, workspace } = run;
  const { lease, wasLost, pendingControl, epochsWithoutProgress } = claimed;
  if (walk.state.phase === 'ended') throw new InvariantError(`Run ${lease.runId} was claimed after its end.`);
  if (wasLost || lease.epoch === 1) {
    run.note({ event: 'run.claimed', properties: { worker_id: parts.workerId, epoch: lease.epoch } });
  }
  if (pendingControl === 'cancel' || walk.state.cancelRequested) return walk.cancel();
  const standing = standingAfter(epochsWithoutProgress);
  if (standing === 'poison') return walk.fail('terminated', workersLost(epochsWithoutProgress));
  const isNew = walk.state.phase !== 'walking';
  const unserved = isNew && !walk.definition.dryRun ? unservedNode(walk, parts.models) : undefined;
  if (unserved) return walk.fail('bootstrap_failed', unserved);
  try {
    if (standing === 'last_chance' && wasLost) await workspace.rebuild((event) => run.note(event));
    if (isNew) await workspace.prepare((event) => run.note(event));
  } catch (thrown) {
    return walk.fail('sandbox_init_failed', { message: messageOf(thrown), category: 'transient_infra' });
  }
  await run.values.all();
  return isNew ? run.said(walk.begin(workspace.isNeeded)) : run.advance();
}

/** Why a run with models cannot begin: nobody answers for one of its nodes. */
function unservedNode({ definition }: Walk, models: ModelClient): FailureDetail | undefined {
  for (const node of definition.nodes()) {
    if (!asksModel(node) || models.serves(node.provider ?? '')) continue;
    const message = `No LLM providers configured for node "${node.id}", which asks "${node.provider ?? 'any provider'}"; use the provider "simulated", or a dry run.`;
    return { message, category: 'structural' };
  }
  return undefined;
}
