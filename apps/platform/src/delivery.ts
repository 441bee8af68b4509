import type { EventNotices } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { CommitSignals, type GrownLog, type Outbox, type OutboxItem } from '#libs/persistence';
import type { RunBell, RunHint } from '#libs/scheduling';
import type { Logger } from './logger.js';

/** Somebody in this process who can take a run at once. */
export interface Neighbour {
  readonly hasFreeSlot: boolean;
  hear(hint: RunHint): void;
}

/** Well before the rows are due, and late enough that many share a commit. */
const MARK_AFTER_MS = 500;

/**
 * What follows a commit: notices for readers, bells for workers. A worker in this process hears a run first, because
 * it needs no queue for that; the outbox rings for whatever nobody took.
 */
export class Delivery extends CommitSignals {
  private neighbour: Neighbour | undefined;
  private readonly delivered: number[] = [];
  private marking: NodeJS.Timeout | undefined;

  constructor(
    private readonly notices: EventNotices,
    private readonly bell: RunBell,
    private readonly outbox: Outbox,
    private readonly log: Logger,
    private readonly keep: (grown: GrownLog) => void,
  ) {
    super();
  }

  attach(neighbour: Neighbour): void {
    this.neighbour = neighbour;
  }

  override created({ tenantId, runId, toSeq }: GrownLog): void {
    this.notices.publish({ tenantId, runId, fromSeq: 1, toSeq });
  }

  override appended(grown: GrownLog): void {
    this.keep(grown);
    const { tenantId, runId, toSeq, bodies } = grown;
    this.notices.publish({ tenantId, runId, fromSeq: toSeq - bodies.length + 1, toSeq });
  }

  /** Marks what was delivered; resolves when everything is marked. */
  async close(): Promise<void> {
    clearTimeout(this.marking);
    await this.mark();
  }

  override promoted(hints: readonly RunHint[], outboxIds: readonly number[]): void {
    const away = hints.filter((hint) => !this.tellNeighbour(hint));
    void this.ringAndForget(away, outboxIds);
  }

  /** Delivers what is due; an item whose delivery fails stays and is due again in 30 s. */
  async deliverDue(): Promise<void> {
    for (let items = await this.outbox.takeDue(200); items.length > 0; items = await this.outbox.takeDue(200)) {
      await this.deliver(items);
    }
  }

  private async deliver(items: readonly OutboxItem[]): Promise<void> {
    await this.bell.ring(items.map(({ tenantId, runId, epoch }) => ({ tenantId, runId, epoch })));
    await this.outbox.done(items.map(({ id }) => id));
  }

  private async mark(): Promise<void> {
    this.marking = undefined;
    try {
      await this.outbox.done(this.delivered.splice(0));
    } catch (thrown) {
      this.log.warn({ error: messageOf(thrown) }, 'Delivered items could not be marked; they are delivered again.');
    }
  }

  private tellNeighbour(hint: RunHint): boolean {
    if (!this.neighbour?.hasFreeSlot) return false;
    this.neighbour.hear(hint);
    return true;
  }

  private async ringAndForget(hints: readonly RunHint[], outboxIds: readonly number[]): Promise<void> {
    try {
      if (hints.length > 0) await this.bell.ring(hints);
      this.delivered.push(...outboxIds);
      this.marking ??= setTimeout(() => void this.mark(), MARK_AFTER_MS).unref();
    } catch (thrown) {
      this.log.warn(
        { error: messageOf(thrown), hints: hints.length },
        'The bell could not be rung; the outbox rings again.',
      );
    }
  }
}
