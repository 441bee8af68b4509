import { type RunId, type TenantId } from '#libs/kernel';

/** One event as it is sent: serialised once, the same text for every reader. */
export interface StoredEvent {
  readonly seq: number;
  /** The envelope as JSON on one line. */
  readonly json: string;
  /** Whether the run ended with it. */
  readonly terminal: boolean;
}

/** How a log stands. */
export interface LogHead {
  /** When the run was stored: tells it from an earlier one with the same id. */
  bornAt: string;
  lastSeq: number;
  /** It ended and was not resumed since. */
  ended: boolean;
}

/** The committed log of one run. */
export abstract class RunLog {
  /**
   * At most `limit` events from `fromSeq` on, in order and without a gap; empty when the log does not reach it yet. With a
   * `bornAt`, those of that run alone: empty when it is gone, whatever has its id now.
   */
  abstract read(
    tenantId: TenantId,
    runId: RunId,
    fromSeq: number,
    limit: number,
    bornAt?: string,
  ): Promise<readonly StoredEvent[]>;

  /** Throws a `missing` error for a run that the tenant does not have. */
  abstract head(tenantId: TenantId, runId: RunId): Promise<LogHead>;
}
