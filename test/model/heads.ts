import type { RunKey } from '#libs/engine';
import type { RunDatabase } from '../support/run-database.js';

/** Where a run stands with the scheduler, by the clock of the database. */
export interface Head extends RunKey {
  slot: 'queued' | 'held' | 'parked';
  status: string;
  epoch: number;
  /** Somebody holds it whose lease is good. */
  isLeased: boolean;
  /** Nobody has it, as far as anybody has seen; a lease that is over is seen by a round. */
  isFree: boolean;
  /** Its moment has come. */
  isDue: boolean;
  runnableSeq: number | null;
  epochsWithoutProgress: number;
}

/** Every run that is not over, by its key, and how many may hold a slot: of all tenants together, and of each. */
export interface Board {
  heads: ReadonlyMap<string, Head>;
  limit: number;
  tenantLimits: ReadonlyMap<string, number>;
}

export const keyOf = ({ tenantId, runId }: RunKey): string => `${tenantId} ${runId}`;

export function readHeads(db: RunDatabase): Promise<Head[]> {
  return db.sql<Head>(
    `SELECT tenant_id AS "tenantId", run_id AS "runId", slot, status, lease_epoch::int AS epoch,
            coalesce(lease_owner IS NOT NULL AND lease_expires_at > clock_timestamp(), false) AS "isLeased",
            lease_owner IS NULL AS "isFree", coalesce(wake_at <= clock_timestamp(), false) AS "isDue", runnable_seq::int AS "runnableSeq",
            epochs_without_progress AS "epochsWithoutProgress"
       FROM run_heads WHERE slot <> 'none'`,
  );
}

/** How many runs of each tenant hold a slot. */
export function heldBy({ heads }: Board): Map<string, number> {
  const held = new Map<string, number>();
  for (const { tenantId, slot } of heads.values()) {
    if (slot === 'held') held.set(tenantId, (held.get(tenantId) ?? 0) + 1);
  }
  return held;
}

/** The tenants of which a run waits for a slot that their own limit does not forbid. */
export function waiting(board: Board): Set<string> {
  const held = heldBy(board);
  const queued = [...board.heads.values()]
    .filter(({ slot }) => slot === 'queued')
    .map(({ tenantId }) => String(tenantId));
  return new Set(queued.filter((tenant) => (held.get(tenant) ?? 0) < (board.tenantLimits.get(tenant) ?? Infinity)));
}

/** The runs that hold a slot and did not before. */
export function promotedBetween(before: Board, after: Board): Head[] {
  return [...after.heads.values()].filter(
    (head) => head.slot === 'held' && before.heads.get(keyOf(head))?.slot !== 'held',
  );
}
