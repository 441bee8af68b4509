import { SILENCE_MS, type Database, type Statement } from '../database.js';

/** Lost, and nobody's fault: the worker that claims the run next takes it over and counts no loss. */
const undoClaims: Statement = {
  name: 'undo-claims',
  text: `
WITH l AS MATERIALIZED (
  SELECT tenant_id, run_id FROM run_heads
   WHERE slot = 'held' AND lease_owner = $1 AND claim_id = ANY($2::uuid[])
   ORDER BY tenant_id, run_id FOR NO KEY UPDATE)
UPDATE run_heads h
   SET lease_owner = NULL, lost_at = clock_timestamp(), lease_expires_at = clock_timestamp() - interval '1 millisecond',
       lease_postmaster_started_at = NULL, lease_incarnation = NULL
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id`,
};

/** Claims of one worker that failed. They may have taken runs all the same, and nobody drives those. */
export class DoubtfulClaims {
  /** When each failed. */
  private readonly failedAtMs = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly owner: string,
  ) {}

  add(claimId: string): void {
    this.failedAtMs.set(claimId, performance.now());
  }

  /**
   * Frees what they took, and counts no loss. To be called before each claim: one that is still under way when it fails
   * is looked for as long as PostgreSQL lets a statement take. Costs nothing while no claim fails.
   */
  async undo(): Promise<void> {
    if (this.failedAtMs.size === 0) return;
    const sentAtMs = performance.now();
    await this.database.queryAgain(undoClaims, [this.owner, [...this.failedAtMs.keys()]]);
    for (const [claimId, failedAtMs] of this.failedAtMs) {
      if (sentAtMs - failedAtMs > SILENCE_MS) this.failedAtMs.delete(claimId);
    }
  }
}
