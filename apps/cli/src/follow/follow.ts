import { followRun, type RunyardClient, unwrap } from '#libs/api-client';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Screen } from '../terminal/screen.js';
import { eventLines } from './event-lines.js';
import { advance, atFirst } from './progress.js';
import { seenEvent } from './seen-event.js';
import { statusLine } from './status-line.js';

export interface FollowStyle {
  sinceSeq?: number;
  verbose?: boolean;
  /** Events as JSON lines instead of a display. */
  json?: boolean;
}

/**
 * Shows a run until it is over; the code says how it ended. Ctrl-C stops the showing, never the run, and says how to
 * come back.
 */
export async function follow(
  client: RunyardClient,
  runId: string,
  screen: Screen,
  { sinceSeq = 1, verbose = false, json = false }: FollowStyle = {},
): Promise<ExitCode> {
  const stop = new AbortController();
  const detach = (): void => stop.abort();
  process.once('SIGINT', detach);
  let progress = atFirst;
  const status = (frame: string): string => statusLine(progress, frame, Date.now(), screen.width, screen.paint);
  const live = json ? undefined : screen.liveLine(status);
  try {
    for await (const event of followRun(client, runId, { sinceSeq, signal: stop.signal })) {
      if (json) screen.json(event);
      const lines = json ? [] : eventLines(progress, event, { paint: screen.paint, width: screen.width, verbose });
      const seen = seenEvent(event);
      if (seen) progress = advance(progress, seen);
      if (lines.length > 0) live?.above(() => screen.result(lines.join('\n')));
    }
  } finally {
    live?.stop();
    process.removeListener('SIGINT', detach);
  }
  if (stop.signal.aborted) {
    screen.hint(`\ndetached; the run goes on\n  → runyard attach ${runId}\n  → runyard cancel ${runId}`);
    return exitCodes.interrupted;
  }
  const outcome = progress.end ?? (await outcomeOf(client, runId));
  if (outcome === 'succeeded') return exitCodes.done;
  if (!json) screen.hint(`  → runyard inspect ${runId}\n  → runyard attach ${runId} -v`);
  return exitCodes.failed;
}

/** How a run ended whose last event was not among those that were asked for. */
async function outcomeOf(client: RunyardClient, id: string): Promise<'succeeded' | 'failed'> {
  const run = await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
  return run.lifecycle.status.kind === 'succeeded' ? 'succeeded' : 'failed';
}
