import type { RunKey } from '#libs/engine';
import type { RunHint } from '#libs/scheduling';

/** What a commit added to one log. */
export interface GrownLog extends RunKey {
  /** The seq of the last event. */
  toSeq: number;
  /** The bodies of the events it added, in order, up to `toSeq`. */
  bodies: readonly string[];
}

/** What a commit makes others want to know. Told after the commit, best effort: losing it only costs time. */
export abstract class CommitSignals {
  /** A log began, and its view is stored with it. */
  abstract created(begun: GrownLog): void;

  /** A log grew. */
  abstract appended(grown: GrownLog): void;

  /** Runs got a slot and wait for a worker. Upkeep rings for those that none takes. */
  abstract promoted(hints: readonly RunHint[]): void;
}
