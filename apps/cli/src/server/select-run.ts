import { RunyardApiError, type RunyardClient, unwrap } from '#libs/api-client';
import { isUlid } from '#libs/kernel';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

/** What may be the beginning of a run id, once it is in upper case. */
const ID_BEGINNING = /^[0-7][0-9A-HJKMNP-TV-Z]*$/;

/**
 * The id of the run a person means: an id or the beginning of one, in either case; a workflow, which stands for its newest
 * run; or `@last`. Only a whole id is taken without asking the server.
 */
export async function selectRun(client: RunyardClient, typed: string): Promise<string> {
  const upper = typed.toUpperCase();
  if (isUlid(upper)) return upper;
  if (typed === '@last') return lastRun(client);
  const query = { selector: ID_BEGINNING.test(upper) ? upper : typed };
  try {
    return (await unwrap(client.api.GET('/api/v1/runs/resolve', { params: { query } }))).id;
  } catch (thrown) {
    if (!(thrown instanceof RunyardApiError) || thrown.status !== 404) throw thrown;
    const hint = 'Give an id, the beginning of one, a workflow, or @last. List them with: runyard ps -a';
    throw new CliError(thrown.detail, exitCodes.misuse, hint);
  }
}

/** The ids of the runs a person means, each once. */
export async function selectRuns(client: RunyardClient, typed: readonly string[]): Promise<string[]> {
  return [...new Set(await Promise.all(typed.map((one) => selectRun(client, one))))];
}

async function lastRun(client: RunyardClient): Promise<string> {
  const query = { limit: 1, include_archived: true };
  const { data } = await unwrap(client.api.GET('/api/v1/runs', { params: { query } }));
  if (data[0]) return data[0].id;
  throw new CliError('There is no run yet.', exitCodes.misuse, 'Begin with: runyard run <workflow.dot>');
}
