export interface ElectionCalls {
  /** This process leads from now on. */
  elected(): void;
  /** Another process may lead already. */
  lost(): void;
}

/**
 * Chooses one of several processes for what one of them has to do. Another one follows within a second when the leader
 * dies, within a few when it stands still or is cut off; for as long two may believe that they lead.
 */
export abstract class Election {
  /** Stands for election until {@link close}, whatever fails meanwhile. */
  abstract start(calls: ElectionCalls): void;

  /** Leaves the lead to another process, if there is one that stands by; stands again a moment later. */
  abstract resign(): void;

  /** Leaves the lead to others, for good. */
  abstract close(): Promise<void>;
}
