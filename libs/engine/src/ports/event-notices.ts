import type { RunId, TenantId } from '#libs/kernel';

/** "The log of this run now reaches `toSeq`." It carries no event: whoever hears it reads the log. */
export interface EventNotice {
  tenantId: TenantId;
  runId: RunId;
  /** The first event that nobody was told of before, as far as the sender knows. */
  fromSeq: number;
  toSeq: number;
}

/** A piece of what a model is saying or a command is printing, before the whole is in the log. It is stored nowhere. */
export interface TextDelta {
  source: 'model' | 'command';
  tenantId: TenantId;
  runId: RunId;
  nodeId: string;
  nodeLabel: string;
  stageId: string;
  visit: number;
  /** Characters of the same answer or output before this piece; 0 begins one. A jump says that pieces were dropped. */
  offset: number;
  text: string;
}

/**
 * Live notices between processes. Best effort: a notice may be late, merged with a later one, repeated or lost, so a
 * reader also looks at the log by itself every few seconds. Notices are sent after the commit, never inside it.
 */
export abstract class EventNotices {
  /** Listeners in this process hear it at once; other processes within some 20 ms. Never throws, never waits. */
  abstract publish(notice: EventNotice): void;

  /**
   * Hears the notices of one run until the returned function is called. `missed` is called when notices of other processes
   * may have been lost up to this moment: when this process begins to hear the tenant, and when it hears it again after a
   * connection was lost. Whoever looks at the log then, and after each notice, is never late while the connection stands.
   */
  abstract subscribe(
    tenantId: TenantId,
    runId: RunId,
    listener: (notice: EventNotice) => void,
    missed?: () => void,
  ): () => void;

  /** Hears the notices of all runs of a tenant until the returned function is called; `missed` as above. */
  abstract subscribeAll(tenantId: TenantId, listener: (notice: EventNotice) => void, missed?: () => void): () => void;

  /**
   * Shows a piece of text to whoever watches the run now, in any process, within some 50 ms. Pieces are the first to be
   * dropped when there is much to carry, and are never repeated. Never throws, never waits.
   */
  abstract show(delta: TextDelta): void;

  /** Watches the text of one run until the returned function is called. */
  abstract watch(tenantId: TenantId, runId: RunId, listener: (delta: TextDelta) => void): () => void;

  /** Resolves when notices of other processes reach everybody who listens in this one by now. */
  abstract ready(): Promise<void>;

  abstract close(): Promise<void>;
}
