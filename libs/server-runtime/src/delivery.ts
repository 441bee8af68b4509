import type { EventNotices } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { CommitSignals, type GrownLog } from '#libs/persistence';
import type { RunBell, RunHint } from '#libs/scheduling';
import type { Logger } from './logger.js';

/** Somebody in this process who can take a run at once. */
export interface Neighbour {
  readonly hasFreeSlot: boolean;
  hear(hint: RunHint): void;
}

/**
 * What follows a commit: notices for readers, bells for workers. A worker in this process hears a run first, because
 * it needs no queue for that; upkeep rings for whatever nobody took.
 */
export class Delivery extends CommitSignals {
  private neighbour: Neighbour | undefined;

  constructor(
    private readonly notices: EventNotices,
    private readonly bell: RunBell,
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

  override promoted(hints: readonly RunHint[]): void {
    const away = hints.filter((hint) => !this.tellNeighbour(hint));
    if (away.length > 0) void this.ring(away);
  }

  private tellNeighbour(hint: RunHint): boolean {
    if (!this.neighbour?.hasFreeSlot) return false;
    this.neighbour.hear(hint);
    return true;
  }

  private async ring(hints: readonly RunHint[]): Promise<void> {
    try {
      await this.bell.ring(hints);
    } catch (thrown) {
      this.log.warn(
        { error: messageOf(thrown), hints: hints.length },
        'The bell could not be rung; upkeep rings again, and workers look by themselves.',
      );
    }
  }
}
