import { unwrap } from '#libs/api-client';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { table } from '../terminal/format.js';

/** Lists the checkpoints of a run, each with what names it as a target. */
export async function showTimeline(session: Session, id: string): Promise<ExitCode> {
  const { screen, json } = session;
  const client = await session.client();
  const entries = await unwrap(client.api.GET('/api/v1/runs/{id}/timeline', { params: { path: { id } } }));
  const rows = entries.map(({ ordinal, node_name, visit, run_commit_sha }) => [
    `@${ordinal}`,
    `${node_name}@${visit}`,
    run_commit_sha?.slice(0, 12) ?? '-',
  ]);
  if (json) screen.json(entries);
  else if (rows.length > 0) screen.result(table([['TARGET', 'STAGE', 'COMMIT'], ...rows]).join('\n'));
  else screen.hint('No checkpoint yet.');
  return exitCodes.done;
}
