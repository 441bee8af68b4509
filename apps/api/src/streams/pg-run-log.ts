import { isTerminal } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import type { RunLedger } from '#libs/persistence';
import { RunLog, type LogHead, type StoredEvent } from './run-log.js';

export class PgRunLog extends RunLog {
  constructor(private readonly ledger: RunLedger) {
    super();
  }

  read(
    tenantId: TenantId,
    runId: RunId,
    fromSeq: number,
    limit: number,
    bornAt?: string,
  ): Promise<readonly StoredEvent[]> {
    return this.ledger.readLog({ tenantId, runId, bornAt }, fromSeq, limit);
  }

  async head(tenantId: TenantId, runId: RunId): Promise<LogHead> {
    const { bornAt, lastSeq, status } = await this.ledger.head({ tenantId, runId });
    return { bornAt, lastSeq, ended: isTerminal(status) };
  }
}
