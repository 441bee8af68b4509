import type { SandboxRun } from '#libs/engine';
import type { Database, Statement } from '../database.js';
import { bornAt } from '../log/born-at.js';
import { OVER } from '../log/head-status.js';

/** A run that is over, and the epoch that drove it last. */
export interface EndedRun extends SandboxRun {
  epoch: number;
}

const IS_MEANT = `${bornAt('r.created_at')} = k.born_at`;

const endedAmong: Statement = {
  name: 'ended-among',
  text: `
SELECT h.tenant_id AS "tenantId", h.run_id AS "runId", k.born_at AS "bornAt",
       CASE WHEN ${IS_MEANT} THEN h.lease_epoch ELSE ${Number.MAX_SAFE_INTEGER} END AS epoch
  FROM unnest($1::text[], $2::text[], $3::text[]) AS k(tenant_id, run_id, born_at)
  JOIN run_heads h USING (tenant_id, run_id) JOIN runs r ON r.tenant_id = h.tenant_id AND r.id = h.run_id
 WHERE NOT ${IS_MEANT} OR h.slot = 'none' AND h.status IN ${OVER} AND h.last_event_at < clock_timestamp() - interval '3 s'`,
};

/**
 * Which of these runs have been over for some seconds, or were removed, and another one has their id now. One with an id that
 * this database does not know is none of them.
 */
export function findEnded(database: Database, runs: readonly SandboxRun[]): Promise<EndedRun[]> {
  const keys = [runs.map(({ tenantId }) => tenantId), runs.map(({ runId }) => runId), runs.map((run) => run.bornAt)];
  return database.queryAgain<EndedRun>(endedAmong, keys);
}
