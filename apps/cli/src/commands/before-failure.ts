import { type RunyardClient, unwrap } from '#libs/api-client';
import { allPages } from '../server/all-pages.js';
import { exitCodes } from '../server/exit-code.js';
import { CliError } from '../server/fault.js';

/** The last checkpoint before the last stage of a run that failed; one in a branch fails with its fork. */
export async function beforeFailure(client: RunyardClient, id: string): Promise<string> {
  const path = { id };
  const stages = await allPages((query) =>
    unwrap(client.api.GET('/api/v1/runs/{id}/stages', { params: { path, query } })),
  );
  const checkpoints = await unwrap(client.api.GET('/api/v1/runs/{id}/timeline', { params: { path } }));
  const reached = new Map(checkpoints.map(({ node_name, visit, ordinal }) => [`${node_name}@${visit}`, ordinal]));

  let failed = stages.findLast(({ status }) => status === 'failed' || status === 'cancelled');
  if (!failed) throw new CliError(`No stage of run ${id} failed.`, exitCodes.misuse, 'Say where to go on with --from.');
  while (failed?.parallel_group_id !== undefined) {
    const fork: string = failed.parallel_group_id;
    failed = stages.find((stage) => stage.id === fork);
  }
  const ordinal = (failed && reached.get(failed.id)) ?? checkpoints.length + 1;
  return `@${ordinal - 1}`;
}
