import { followRun, type RunyardClient, type TextDelta, unwrap } from '#libs/api-client';
import { openQuestions, type Question } from '../questions/open-questions.js';
import { unanswered } from '../questions/unanswered.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { Display } from './display.js';
import { eventLines } from './event-lines.js';
import { advance, atFirst, hear } from './progress.js';
import { Questioner } from './questioner.js';
import { seenEvent, type SeenEvent } from './seen-event.js';
import { statusLine } from './status-line.js';

export interface FollowStyle {
  sinceSeq?: number;
  verbose?: boolean;
}

/**
 * Shows a run until it is over; the code says how it ended. What the run asks is put to the person at the terminal;
 * where nobody sits, an open question ends the showing with a code of its own. Ctrl-C stops the showing, never the run,
 * and says how to come back.
 */
export async function follow(
  { screen, json, surroundings: { terminal } }: Session,
  client: RunyardClient,
  runId: string,
  { sinceSeq = 1, verbose = false }: FollowStyle = {},
): Promise<ExitCode> {
  const stopping = new AbortController();
  const detach = (): void => stopping.abort();
  process.once('SIGINT', detach);
  let progress = atFirst;
  const status = (frame: string): string => statusLine(progress, frame, Date.now(), screen.width, screen.paint);
  const moves = screen.isLive && !json;
  const onText = (delta: TextDelta): void => void (progress = hear(progress, delta));
  const display = json ? undefined : new Display(screen, status);
  const person = display && terminal && new Questioner({ client, runId, screen, display, terminal, leave: detach });
  try {
    for await (const event of followRun(client, runId, {
      sinceSeq,
      signal: stopping.signal,
      ...(moves && { onText }),
    })) {
      const seen = seenEvent(event);
      if (json) screen.json(event);
      display?.print(eventLines(progress, event, { paint: screen.paint, width: screen.width, verbose }));
      if (!seen) continue;
      progress = advance(progress, seen);
      const question = await askedBy(client, seen);
      if (question && !person) throw unanswered(runId, question);
      if (question) person?.ask(question);
      else if ('question_id' in seen.properties) person?.close(seen.properties.question_id);
    }
    await person?.end();
  } finally {
    display?.stop();
    process.removeListener('SIGINT', detach);
  }
  if (stopping.signal.aborted) {
    screen.hint(`\ndetached; the run goes on\n  → runyard attach ${runId}\n  → runyard cancel ${runId}`);
    return exitCodes.interrupted;
  }
  const outcome = progress.end ?? (await outcomeOf(client, runId));
  if (outcome === 'succeeded') return exitCodes.done;
  if (!json) screen.hint(`  → runyard inspect ${runId}\n  → runyard attach ${runId} -v`);
  return exitCodes.failed;
}

/** The question that an event put, while it is open: of a log that is replayed, most are not. */
async function askedBy(client: RunyardClient, { event, properties, run_id }: SeenEvent): Promise<Question | undefined> {
  if (event !== 'interview.started') return undefined;
  const open = await openQuestions(client, run_id);
  return open.find(({ id }) => id === properties.question_id);
}

/** How a run ended whose last event was not among those that were asked for. */
async function outcomeOf(client: RunyardClient, id: string): Promise<'succeeded' | 'failed'> {
  const run = await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
  return run.lifecycle.status.kind === 'succeeded' ? 'succeeded' : 'failed';
}
