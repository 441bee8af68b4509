import { type EventEnvelope, type RunyardClient, unwrap } from '#libs/api-client';
import { eventLines } from '../follow/event-lines.js';
import { advance, atFirst } from '../follow/progress.js';
import { seenEvent } from '../follow/seen-event.js';
import type { LineStyle } from '../follow/stage-line.js';

/** What the log of a run says that its views do not. */
export interface RunHistory {
  /** The run whose events this one began with. */
  forkedFrom?: string;
  /** The stages that were executed there. */
  copied: ReadonlySet<string>;
  /** What stages with a partial success said of it, such as which branches failed. */
  partial: ReadonlyMap<string, string>;
  /** The first stage that failed for good, as a follower saw it: how it ended, and the end of its output. */
  firstFailure?: string[];
}

/** The most that the server gives at once. */
const PAGE = 1_000;

/** Looks at the beginning and the end of a log, a page each: a long one is not read whole. */
export async function historyOf(client: RunyardClient, id: string, style: LineStyle): Promise<RunHistory> {
  const path = { id };
  const page = (query: { limit: number; order: 'asc' | 'desc' }) =>
    unwrap(client.api.GET('/api/v1/runs/{id}/events', { params: { path, query } }));
  const beginning = await page({ limit: PAGE, order: 'asc' });
  const end = beginning.meta.has_more ? (await page({ limit: PAGE, order: 'desc' })).data.reverse() : [];
  const last = beginning.data.at(-1)?.seq ?? 0;
  return historyIn([...beginning.data, ...end.filter(({ seq }) => seq > last)], style);
}

function historyIn(events: readonly EventEnvelope[], style: LineStyle): RunHistory {
  const copies = events.filter(({ origin }) => origin);
  const forkedFrom = copies[0]?.origin?.run_id;
  const firstFailure = firstFailureIn(events, style);
  return {
    copied: new Set(copies.flatMap(({ stage_id }) => stage_id ?? [])),
    partial: new Map(events.flatMap(partialSuccess)),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(firstFailure && { firstFailure }),
  };
}

function partialSuccess(envelope: EventEnvelope): [string, string][] {
  const event = seenEvent(envelope);
  if (event?.event !== 'stage.completed' || event.properties.status !== 'partially_succeeded') return [];
  const { notes } = event.properties;
  return notes === undefined || !envelope.stage_id ? [] : [[envelope.stage_id, notes]];
}

function firstFailureIn(events: readonly EventEnvelope[], style: LineStyle): string[] | undefined {
  let progress = atFirst;
  for (const envelope of events) {
    const event = seenEvent(envelope);
    if (!event) continue;
    if (event.event === 'stage.failed' && !event.properties.will_retry && !event.origin)
      return eventLines(progress, envelope, style);
    progress = advance(progress, event);
  }
  return undefined;
}
