import type { EventNotice, EventNotices } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { CommitSignals, type Outbox, type OutboxItem } from '#libs/persistence';
import type { RunBell, RunHint } from '#libs/scheduling';
import type { Logger } from './logger.js';

/** Somebody in this process who can take a run at once. */
export interface Neighbour {
  readonly hasFreeSlot: boolean;
  hear(hint: RunHint): void;
}

/**
 * What follows a commit: notices for readers, bells for workers. A worker in this process hears a run first, because
 * it needs no queue for that; the outbox rings for whatever nobody took.
 */
export class Delivery extends CommitSignals {
  private neighbour: Neighbour | undefined;

  constructor(
    private readonly notices: EventNotices,
    private readonly bell: RunBell,
    private readonly outbox: Outbox,
    private readonly log: Logger,
    private readonly grown: (notice: EventNotice) => void,
  ) {
    super();
  }

  attach(neighbour: Neighbour): void {
    this.neighbour = neighbour;
  }

  override appended(notice: EventNotice): void {
    this.notices.publish(notice);
    this.grown(notice);
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

  private tellNeighbour(hint: RunHint): boolean {
    if (!this.neighbour?.hasFreeSlot) return false;
    this.neighbour.hear(hint);
    return true;
  }

  private async ringAndForget(hints: readonly RunHint[], outboxIds: readonly number[]): Promise<void> {
    try {
      if (hints.length > 0) await this.bell.ring(hints);
      await this.outbox.done(outboxIds);
    } catch (thrown) {
      this.log.warn(
        { error: messageOf(thrown), hints: hints.length },
        'The bell could not be rung; the outbox rings again.',
      );
    }
  }
}
