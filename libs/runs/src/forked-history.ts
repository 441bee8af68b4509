import type { EventEnvelope, StampedEvent } from '#libs/events';

/** Events that belong to the source alone: its status, its place, its people. */
const NOT_COPIED = /^(?:run|sandbox|setup|watchdog|context)\./;

/**
 * What a fork takes along of a log that is shown to it event by event, and the stages that began elsewhere. A loop restart is
 * part of the edge that leads on from the checkpoint and follows it in the same append. What is not copied is let go.
 */
export class ForkedHistory {
  readonly copies: StampedEvent[] = [];
  private readonly kept = new Set<string>();
  private readonly left = new Set<string>();

  /** `eventId` gives the id of an event of a moment, in milliseconds. */
  constructor(
    private lastSeq: number,
    private readonly eventId: (ms: number) => string,
  ) {}

  follow(event: EventEnvelope): void {
    if (event.event === 'loop.restart' && event.seq === this.lastSeq + 1) this.lastSeq = event.seq;
    const isCopied = event.seq <= this.lastSeq && !NOT_COPIED.test(event.event);
    if (isCopied) this.copies.push(this.copied(event));
    if (event.event === 'stage.started' && event.stage_id) (isCopied ? this.kept : this.left).add(event.stage_id);
  }

  get keptStages(): string[] {
    return [...this.kept];
  }

  get droppedStages(): string[] {
    return [...this.left].filter((stage) => !this.kept.has(stage));
  }

  private copied({ seq, run_id, ...event }: EventEnvelope): StampedEvent {
    const origin = event.origin ?? { run_id, seq };
    return { ...event, id: this.eventId(Date.parse(event.ts)), origin } as StampedEvent;
  }
}
