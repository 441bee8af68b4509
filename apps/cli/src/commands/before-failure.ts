import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { allPages } from '../server/all-pages.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

type Stage = components['schemas']['RunStage'];

/**
 * The last checkpoint before the first stage that failed for good: whose node did not succeed in a later visit. A stage
 * of a branch has no place of its own and stands for its fork. A stage that was cut off failed, too.
 */
export async function beforeFailure(client: RunyardClient, id: string): Promise<string> {
  const path = { id };
  const stages = await allPages((query) =>
    unwrap(client.api.GET('/api/v1/runs/{id}/stages', { params: { path, query } })),
  );
  const checkpoints = await unwrap(client.api.GET('/api/v1/runs/{id}/timeline', { params: { path } }));
  const failed = firstFailed(stages);
  if (!failed) throw new CliError(`No stage of run ${id} failed.`, exitCodes.failed, 'Say where to go on with --from.');
  const reached = checkpoints.find(({ node_name, visit }) => `${node_name}@${visit}` === failed);
  return `@${(reached?.ordinal ?? checkpoints.length + 1) - 1}`;
}

function firstFailed(stages: readonly Stage[]): string | undefined {
  const lastSuccess = new Map<string, number>();
  const ownerOf = new Map<string, string>();
  for (const [index, { id, status, parallel_group_id: fork }] of stages.entries()) {
    ownerOf.set(id, fork === undefined ? id : (ownerOf.get(fork) ?? fork));
    if (status === 'succeeded') lastSuccess.set(nodeOf(id), index);
  }
  const begunAt = new Map(stages.map(({ id }, index) => [id, index]));
  const owners = stages.filter(({ status }) => hasFailed(status)).map(({ id }) => ownerOf.get(id)!);
  return owners.find((id) => (lastSuccess.get(nodeOf(id)) ?? -1) <= (begunAt.get(id) ?? -1));
}

function hasFailed(status: Stage['status']): boolean {
  return status === 'failed' || status === 'cancelled';
}

/** `test` of `test@2`. */
function nodeOf(stageId: string): string {
  return stageId.slice(0, stageId.lastIndexOf('@'));
}
