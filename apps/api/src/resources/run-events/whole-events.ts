import { isBrief, restOf, type RunKey, type Walk } from '#libs/engine';
import { jsonBytes, type Clock } from '#libs/kernel';
import { DefinitionMissingError, type RunLedger } from '#libs/persistence';
import { walkToRead } from '#libs/runs';
import type { EventEnvelope } from './dto/event-envelope.js';

/** What the events of one page may take that are shown whole. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

type Stored = Awaited<ReturnType<RunLedger['state']>>;

/**
 * Shows events as readers want them. A checkpoint is stored as what its stage changed, since a chain of ten thousand stages
 * would otherwise write gigabytes; who reads a page of the log gets the whole of it, folded from the log before it.
 */
export class WholeEvents {
  constructor(
    private readonly ledger: RunLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Events of one run that follow each other, shown whole: as many of them as a page takes, at least one, from the first on
   * or up to the last. As they are stored where the run outlived its definition, without which nothing can be folded.
   */
  async show(run: RunKey, events: readonly EventEnvelope[], from: 'first' | 'last'): Promise<EventEnvelope[]> {
    const [first] = events;
    if (!first || !events.some(isBriefEvent)) return [...events];
    const stored = await this.ledger.state(run, first.seq).catch(nullIfOutlived);
    if (!stored) return [...events];
    const count = Math.max(1, Math.floor(MAX_WHOLE_BYTES / this.largest(run, stored, events)));
    const [left, kept] = from === 'first' ? [[], firstWith(count, events)] : lastWith(count, events);
    const walk = this.walkOf(run, stored);
    for (const event of left) hear(walk, event);
    return kept.map((event) => shown(walk, event));
  }

  /** How much the last event that is shown whole takes: contexts grow. */
  private largest(run: RunKey, stored: Stored, events: readonly EventEnvelope[]): number {
    const walk = this.walkOf(run, { ...stored, snapshot: structuredClone(stored.snapshot) });
    const last = events.findLastIndex(isBriefEvent);
    for (const event of events.slice(0, last)) hear(walk, event);
    return jsonBytes(shown(walk, events[last]!));
  }

  private walkOf({ runId }: RunKey, stored: Stored): Walk {
    return walkToRead(runId, stored, this.clock.now());
  }
}

type Heard = Parameters<Walk['hear']>[0];

function isBriefEvent(event: EventEnvelope): boolean {
  return isBrief(event as unknown as Heard);
}

function hear(walk: Walk, event: EventEnvelope): void {
  walk.hear(event as unknown as Heard);
}

function shown(walk: Walk, event: EventEnvelope): EventEnvelope {
  const stored = event as unknown as Heard;
  walk.hear(stored);
  if (!isBrief(stored)) return event;
  return { ...event, properties: { ...event.properties, ...restOf(walk, stored) } };
}

/** The events up to the last one of so many that are shown whole. */
function firstWith(count: number, events: readonly EventEnvelope[]): readonly EventEnvelope[] {
  const beyond = placesOf(events)[count];
  return beyond === undefined ? events : events.slice(0, beyond);
}

/** The events from the first one of the last so many that are shown whole, and those before them. */
function lastWith(
  count: number,
  events: readonly EventEnvelope[],
): [left: readonly EventEnvelope[], kept: readonly EventEnvelope[]] {
  const beyond = placesOf(events).at(-count - 1);
  const from = beyond === undefined ? 0 : beyond + 1;
  return [events.slice(0, from), events.slice(from)];
}

function placesOf(events: readonly EventEnvelope[]): number[] {
  return events.flatMap((event, place) => (isBriefEvent(event) ? [place] : []));
}

function nullIfOutlived(thrown: unknown): null {
  if (thrown instanceof DefinitionMissingError) return null;
  throw thrown;
}
