import { followRun, type RunyardClient, type TextDelta, unwrap } from '#libs/api-client';
import { readOpenQuestions, type Question } from '../questions/open-questions.js';
import { unanswered } from '../questions/unanswered.js';
import { endOf, type ShownState } from '../runs/run-filter.js';
import { exitCodes, type ExitCode } from '../server/exit-code.js';
import type { Session } from '../session.js';
import { interruptible } from '../terminal/interruptible.js';
import { Display } from './display.js';
import { eventLines } from './event-lines.js';
import { LiveOutput } from './live-output.js';
import { advance, atFirst, hear, type Progress } from './progress.js';
import { Questioner } from './questioner.js';
import { seenEvent, type SeenEvent } from './seen-event.js';
import { statusLine } from './status-line.js';

export interface FollowStyle {
  sinceSeq?: number;
  verbose?: boolean;
  /** How long a server may not answer before the showing ends. */
  patienceMs?: number;
}

const LOST = 'connection lost, trying again';

/** A run that is shown, and what stops the showing. */
interface Followed {
  client: RunyardClient;
  runId: string;
  /** Aborted here, when nobody sits at the terminal any more. */
  stopping: AbortController;
  /** Aborts at Ctrl-C. */
  interrupted: AbortSignal;
}

/**
 * Shows a run until it is over; the code says how it ended. What the run asks is put to the person at the terminal;
 * where nobody sits, an open question ends the showing with a code of its own. Ctrl-C stops the showing at once, whatever
 * is under way, and never the run; it says how to come back unless the end of the run was shown already.
 */
export function showRun(
  session: Session,
  client: RunyardClient,
  runId: string,
  style: FollowStyle = {},
): Promise<ExitCode> {
  return interruptible((signal) => followUntil(signal, session, client, runId, style));
}

/** Shows a run as {@link showRun} does, until it is over or the signal aborts, which may have happened already. */
export async function followUntil(
  signal: AbortSignal,
  session: Session,
  client: RunyardClient,
  runId: string,
  style: FollowStyle = {},
): Promise<ExitCode> {
  const { screen, json } = session;
  const stopping = new AbortController();
  const progress = await showUntilOver(session, { client, runId, stopping, interrupted: signal }, style);
  if (progress.end === undefined && (stopping.signal.aborted || signal.aborted)) {
    screen.hint(`\ndetached; the run goes on\n  → runyard attach ${runId}\n  → runyard cancel ${runId}`);
    return exitCodes.interrupted;
  }
  const outcome = progress.end ?? (await outcomeOf(client, runId));
  if (outcome === 'succeeded') return exitCodes.done;
  if (!json && outcome === 'failed') screen.hint(waysOn(runId, progress).join('\n'));
  return exitCodes.failed;
}

/** What to type about a run that failed. */
function waysOn(runId: string, { hasFailedStage }: Progress): string[] {
  return [
    `  → runyard inspect ${runId}`,
    `  → runyard attach ${runId} -v`,
    ...(hasFailedStage ? [`  → runyard rerun ${runId} --only-failed`] : []),
  ];
}

/** Shows the events and asks what they ask, until the run is over or it is stopped; gives what was seen. */
async function showUntilOver(
  { screen, json, surroundings: { terminal } }: Session,
  { client, runId, stopping, interrupted }: Followed,
  { sinceSeq = 1, verbose = false, patienceMs }: FollowStyle,
): Promise<Progress> {
  const signal = AbortSignal.any([stopping.signal, interrupted]);
  let progress = atFirst;
  let isLost = false;
  const status = (frame: string): string =>
    isLost
      ? `${screen.paint.yellow(frame)} ${LOST}`
      : statusLine(progress, frame, Date.now(), screen.width, screen.paint);
  const moves = screen.isLive && !json;
  const live = verbose && !json ? new LiveOutput() : undefined;
  const onText = (delta: TextDelta): void => {
    progress = hear(progress, delta);
    if (live && delta.event === 'command.output.delta') display?.print(live.add(delta));
  };
  const display = json ? undefined : new Display(screen, status);
  const onConnection = (state: 'lost' | 'restored'): void => {
    isLost = state === 'lost';
    const line = isLost ? `${screen.paint.yellow('!')} ${LOST}` : `${screen.paint.cyan('●')} connected again`;
    if (display) display.print([line]);
    else screen.hint(line);
  };
  const leave = (): void => stopping.abort();
  const person = display && terminal && new Questioner({ client, runId, screen, display, terminal, signal, leave });
  try {
    for await (const event of followRun(client, runId, {
      sinceSeq,
      signal,
      onConnection,
      ...(patienceMs !== undefined && { patienceMs }),
      ...((moves || live) && { onText }),
    })) {
      const seen = seenEvent(event);
      if (json) screen.json(event);
      display?.print(eventLines(progress, event, { paint: screen.paint, width: screen.width, verbose }));
      if (!seen) continue;
      if (seen.event === 'stage.started') live?.begin(seen.stage_id ?? '');
      if (live && seen.event === 'command.completed')
        display?.print(live.end(seen.node_id ?? '', seen.stage_id ?? '', seen.properties));
      progress = advance(progress, seen);
      const question = await askedBy(client, seen, signal);
      if (question && !person) throw unanswered(runId, question);
      if (question) person?.ask(question);
      else if ('question_id' in seen.properties) person?.close(seen.properties.question_id);
    }
    await person?.end();
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  } finally {
    display?.stop();
  }
  return progress;
}

/** What a call throws that was under way when the showing was stopped. */
function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}

/** The question that an event put, while it is open: of a log that is replayed, most are not. */
async function askedBy(
  client: RunyardClient,
  { event, properties, run_id }: SeenEvent,
  signal: AbortSignal,
): Promise<Question | undefined> {
  if (event !== 'interview.started') return undefined;
  const open = await readOpenQuestions(client, run_id, signal);
  return open.find(({ id }) => id === properties.question_id);
}

/** How a run ended whose last event was not among those that were asked for. */
async function outcomeOf(client: RunyardClient, id: string): Promise<ShownState | undefined> {
  return endOf(await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path: { id } } })));
}
