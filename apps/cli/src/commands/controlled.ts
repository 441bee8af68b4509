import { type components, followRun, type RunyardClient, unwrap } from '#libs/api-client';

type Run = components['schemas']['Run'];

/** A run when nothing is asked of it any more: it does what was asked, or is over. */
export async function controlled(client: RunyardClient, asked: Run): Promise<Run> {
  let run = asked;
  if (run.lifecycle.pending_control === null) return run;
  for await (const { event } of followRun(client, run.id)) {
    if (event !== 'run.paused' && event !== 'run.unpaused') continue;
    run = await present(client, run.id);
    if (run.lifecycle.pending_control === null) return run;
  }
  return present(client, run.id);
}

export function present(client: RunyardClient, id: string): Promise<Run> {
  return unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
}
