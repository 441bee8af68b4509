import type { RunId, TenantId } from '#libs/kernel';

/** "The log of this run now reaches `toSeq`." It carries no event: whoever hears it reads the log. */
export interface EventNotice {
  tenantId: TenantId;
  runId: RunId;
  toSeq: number;
}

/**
 * Live notices between processes. Best effort: a notice may be late, merged with a later one, repeated or lost, so a
 * reader also looks at the log by itself every few seconds. Notices are sent after the commit, never inside it.
 */
export abstract class EventNotices {
  /** Listeners in this process hear it at once; other processes within some 20 ms. Never throws, never waits. */
  abstract publish(notice: EventNotice): void;

  /** Hears the notices of one run until the returned function is called. */
  abstract subscribe(tenantId: TenantId, runId: RunId, listener: (notice: EventNotice) => void): () => void;

  /** Resolves when notices of other processes reach this one. */
  abstract ready(): Promise<void>;

  abstract close(): Promise<void>;
}
