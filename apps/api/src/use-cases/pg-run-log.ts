import { isTerminal } from '#libs/events';
import type { RunId, TenantId } from '#libs/kernel';
import { RunNotFoundError, type RunLedger } from '#libs/persistence';
import { RunLog, type StoredEvent } from '../runs/run-use-cases.js';
import { SharedHeads } from './shared-heads.js';

export class PgRunLog extends RunLog {
  private readonly heads: SharedHeads<Awaited<ReturnType<RunLedger['head']>>>;

  constructor(private readonly ledger: RunLedger) {
    super();
    this.heads = new SharedHeads((runs) => ledger.heads(runs));
  }

  read(tenantId: TenantId, runId: RunId, fromSeq: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.ledger.readLog({ tenantId, runId }, fromSeq, limit);
  }

  async head(tenantId: TenantId, runId: RunId): Promise<{ lastSeq: number; ended: boolean }> {
    const head = await this.heads.of({ tenantId, runId });
    if (!head) throw new RunNotFoundError(runId);
    return { lastSeq: head.lastSeq, ended: isTerminal(head.status) };
  }
}
