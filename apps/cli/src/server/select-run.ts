import { isUlid } from '#libs/kernel';
import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { exitCodes } from './exit-code.js';
import { CliError } from './fault.js';

type Run = components['schemas']['Run'];

/** How far back a prefix, a workflow's name or `@last` looks. */
const RECENT = 100;

/** The id of the run a person means. A whole id is taken as it is; anything shorter is looked up among recent runs. */
export async function selectRun(client: RunyardClient, selector: string): Promise<string> {
  const upper = selector.toUpperCase();
  if (isUlid(upper)) return upper;
  const query = { limit: RECENT, include_archived: true };
  const { data } = await unwrap(client.api.GET('/api/v1/runs', { params: { query } }));
  return matchRun(selector, data);
}

/**
 * The run that a selector names, given the recent runs, newest first: `@last`, the beginning of one id, or a workflow,
 * which stands for its newest run.
 */
export function matchRun(selector: string, recent: readonly Run[]): string {
  if (selector === '@last') {
    const [newest] = recent;
    if (newest) return newest.id;
    throw new CliError('There is no run yet.', exitCodes.misuse, 'Begin with: runyard run <workflow.dot>');
  }
  const matching = recent.filter(({ id }) => id.startsWith(selector.toUpperCase()));
  const [only, ...others] = matching;
  if (only && others.length === 0) return only.id;
  if (only) {
    const listed = matching.map(({ id, title }) => `  ${id}  ${title}`).join('\n');
    throw new CliError(`"${selector}" is the beginning of ${matching.length} runs:\n${listed}`, exitCodes.misuse);
  }
  const ofWorkflow = recent.find(({ workflow }) => workflow.slug === selector);
  if (ofWorkflow) return ofWorkflow.id;
  throw new CliError(
    `No run "${selector}" among the ${RECENT} most recent ones.`,
    exitCodes.misuse,
    'Give an id, the beginning of one, a workflow, or @last. List them with: runyard ps -a',
  );
}
