import type { RunKey } from '#libs/engine';
import type { Database, Statement } from '../database.js';
import { OVER } from '../store/head-status.js';

/** A run that is over, and the epoch that drove it last. */
export interface EndedRun extends RunKey {
  epoch: number;
}

const endedAmong: Statement = {
  name: 'ended-among',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch AS epoch
  FROM run_heads JOIN unnest($1::text[], $2::text[]) AS k(tenant_id, run_id) USING (tenant_id, run_id)
 WHERE slot = 'none' AND status IN ${OVER} AND last_event_at < clock_timestamp() - interval '3 s'`,
};

/** Which of these runs have been over for some seconds. One that this database does not know is none of them. */
export function findEnded(database: Database, runs: readonly RunKey[]): Promise<EndedRun[]> {
  const keys = [runs.map(({ tenantId }) => tenantId), runs.map(({ runId }) => runId)];
  return database.queryAgain<EndedRun>(endedAmong, keys);
}
