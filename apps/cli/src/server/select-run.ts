import { RunyardApiError, type RunyardClient, unwrap } from '#libs/api-client';
import { isUlid } from '#libs/kernel';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

/** What may be the beginning of a run id, once it is in upper case. */
const ID_BEGINNING = /^[0-7][0-9A-HJKMNP-TV-Z]*$/;

/** What a command says of the run that it does something to. */
export const RUN = "id, at least 4 characters of its beginning, a workflow's whole name (its newest run), or @last";
export const RUNS =
  'ids, at least 4 characters of their beginning, whole names of workflows (the newest run), or @last';
/** The same of the run that it only shows. */
export const RUN_SHOWN = `${RUN}; here also a part of a name that no other workflow has`;

/**
 * The id of the run that a person wants something to be done to: an id or the beginning of one, in either case; the whole
 * name of a workflow, which stands for its newest run; or `@last`. Only a whole id is taken without asking the server.
 */
export function selectRun(client: RunyardClient, typed: string): Promise<string> {
  return select(client, typed, 'exact');
}

/** As {@link selectRun} for what only shows a run: there a part of a workflow's name is enough where no other has it. */
export function selectShownRun(client: RunyardClient, typed: string): Promise<string> {
  return select(client, typed, 'unique');
}

/** The ids of the runs a person wants something to be done to, each once. */
export async function selectRuns(client: RunyardClient, typed: readonly string[]): Promise<string[]> {
  return [...new Set(await Promise.all(typed.map((one) => selectRun(client, one))))];
}

async function select(client: RunyardClient, typed: string, match: 'exact' | 'unique'): Promise<string> {
  const upper = typed.toUpperCase();
  if (isUlid(upper)) return upper;
  if (typed === '@last') return lastRun(client);
  const query = { selector: ID_BEGINNING.test(upper) ? upper : typed, match };
  try {
    return (await unwrap(client.api.GET('/api/v1/runs/resolve', { params: { query } }))).id;
  } catch (thrown) {
    if (!(thrown instanceof RunyardApiError) || thrown.status !== 404) throw thrown;
    throw new CliError(thrown.detail, exitCodes.misuse, 'List runs with: runyard ps -a');
  }
}

async function lastRun(client: RunyardClient): Promise<string> {
  const query = { limit: 1, include_archived: true };
  const { data } = await unwrap(client.api.GET('/api/v1/runs', { params: { query } }));
  if (data[0]) return data[0].id;
  throw new CliError('There is no run yet.', exitCodes.misuse, 'Begin with: runyard run <workflow.dot>');
}
