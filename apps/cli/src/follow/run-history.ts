import { type EventEnvelope, type RunyardClient, unwrap } from '#libs/api-client';
import { eventLines } from './event-lines.js';
import { advance, atFirst } from './progress.js';
import { seenEvent } from './seen-event.js';
import type { LineStyle } from './stage-line.js';

/** What the log of a run says that its views do not. */
export interface ToldHistory {
  /** The run whose events this one began with. */
  forkedFrom?: string;
  /** The stages that were executed there. */
  copied: ReadonlySet<string>;
  /** What stages with a partial success said of it, such as which branches failed. */
  partial: ReadonlyMap<string, string>;
  /** The labels of the items that stages of a `for_each` worked on. */
  items: ReadonlyMap<string, string>;
  /** The first stage that failed for good, as a follower saw it: how it ended, and the end of its output. */
  firstFailure?: string[];
}

/** The most that the server gives at once. */
const PAGE = 1_000;

/** Looks at the beginning and the end of a log, a page each: a long one is not read whole. */
export async function historyOf(client: RunyardClient, id: string, style: LineStyle): Promise<ToldHistory> {
  const path = { id };
  const page = (query: { limit: number; order: 'asc' | 'desc' }) =>
    unwrap(client.api.GET('/api/v1/runs/{id}/events', { params: { path, query } }));
  const beginning = await page({ limit: PAGE, order: 'asc' });
  const end = beginning.meta.has_more ? (await page({ limit: PAGE, order: 'desc' })).data.reverse() : [];
  const last = beginning.data.at(-1)?.seq ?? 0;
  return historyIn([...beginning.data, ...end.filter(({ seq }) => seq > last)], style);
}

function historyIn(events: readonly EventEnvelope[], style: LineStyle): ToldHistory {
  const copies = events.filter(({ origin }) => origin);
  const forkedFrom = copies[0]?.origin?.run_id;
  const firstFailure = firstFailureIn(events, style);
  return {
    copied: new Set(copies.flatMap(({ stage_id }) => stage_id ?? [])),
    partial: new Map(events.flatMap(partialSuccess)),
    items: new Map(itemsIn(events)),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(firstFailure && { firstFailure }),
  };
}

function* itemsIn(events: readonly EventEnvelope[]): Generator<[string, string]> {
  const labels = new Map<string, string>();
  for (const event of events.flatMap((envelope) => seenEvent(envelope) ?? [])) {
    const branch = event.parallel_branch_id ?? '';
    if (event.event === 'parallel.branch.started') labels.set(branch, event.properties.item_label ?? '');
    if (event.event === 'stage.started' && event.stage_id) yield [event.stage_id, labels.get(branch) ?? ''];
  }
}

function partialSuccess(envelope: EventEnvelope): [string, string][] {
  const event = seenEvent(envelope);
  if (event?.event !== 'stage.completed' || event.properties.status !== 'partially_succeeded') return [];
  const { notes } = event.properties;
  return notes === undefined || !envelope.stage_id ? [] : [[envelope.stage_id, notes]];
}

/** The first stage that failed and whose node, or for_each item, did not succeed after that. */
function firstFailureIn(events: readonly EventEnvelope[], style: LineStyle): string[] | undefined {
  const failures = new Map<string, string[]>();
  let progress = atFirst;
  for (const envelope of events) {
    const event = seenEvent(envelope);
    if (!event) continue;
    const name = progress.open.get(event.stage_id ?? '')?.name ?? event.node_id ?? '';
    if (event.event === 'stage.completed') failures.delete(name);
    if (event.event === 'stage.failed' && !event.properties.will_retry && !event.origin && !failures.has(name))
      failures.set(name, eventLines(progress, envelope, style));
    progress = advance(progress, event);
  }
  return failures.values().next().value;
}
