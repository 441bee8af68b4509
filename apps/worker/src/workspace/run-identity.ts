import type { RunDefinition, RunKey } from '#libs/engine';

/** Issues what a run's commands sign in with. Rejects with an `unavailable` error when it cannot be stored. */
export type IssueToken = (run: RunKey) => Promise<string>;

/** How the commands of runs reach the API. */
export interface ApiAccess {
  /** URL, or path of a socket. */
  address: string;
  issueToken: IssueToken;
}

/**
 * The variables by which a command knows its run. Where the run's settings let it manage runs it also gets what the
 * command line takes: an address, and a token that stands for the run.
 */
export async function identityOf(
  run: RunKey,
  { managesRuns }: RunDefinition,
  api: ApiAccess | null,
): Promise<Record<string, string>> {
  const named = { RUNYARD_RUN_ID: run.runId };
  if (!managesRuns || !api) return named;
  return { ...named, RUNYARD_SERVER: api.address, RUNYARD_TOKEN: await api.issueToken(run) };
}
