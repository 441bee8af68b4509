import type { Database, Statement } from '../database.js';
import { LOST_EPOCHS } from './claim-statement.js';
import { OVER, PAUSED } from '../log/head-status.js';
import { LOCK_SLOTS } from './promote.js';

/** Rows that one statement looks at, or moves; what is more is for the next one. */
const AT_ONCE = 1_000;

/** SQL: the newest engine that a worker has; null when no worker is registered, and then nothing is newer. */
const NEWEST = '(SELECT max(engine_version) FROM workers)';

const ENGINE = '(SELECT r.engine_version FROM runs r WHERE r.tenant_id = h.tenant_id AND r.id = h.run_id)';

/** SQL: nobody has the run. One that is to be cancelled is ended where no worker hears it, and keeps its slot until then. */
const IS_UNCLAIMED = `
h.slot = 'held' AND h.lease_owner IS NULL AND h.pending_control IS DISTINCT FROM 'cancel' AND h.status NOT IN ${OVER}`;

/** SQL: those that wait longest. The order is that of their index, which is what keeps a plan from reading all heads. */
const UNCLAIMED = `
SELECT h.tenant_id, h.run_id, ${ENGINE} AS engine_version
  FROM run_heads h WHERE ${IS_UNCLAIMED} ORDER BY h.lost_at, h.slot_since LIMIT ${AT_ONCE}`;

/** SQL: waits for a worker. What is paused goes on when somebody says so. */
const IS_AWAITING = `h.slot = 'parked' AND h.awaited_engine IS NOT NULL AND h.status NOT IN ${PAUSED}`;

const lookForNewer: Statement = {
  name: 'look-for-newer-engines',
  text: `
SELECT EXISTS (SELECT FROM (${UNCLAIMED}) u WHERE u.engine_version > ${NEWEST}) AS "isStranded",
       coalesce((SELECT h.awaited_engine FROM run_heads h WHERE ${IS_AWAITING} ORDER BY h.awaited_engine LIMIT 1) <= ${NEWEST}, false)
         AS "mayGoOn"`,
};

/** An epoch that was lost is counted here, as the claim would have done. */
const parkNewer: Statement = {
  name: 'park-newer-engines',
  text: `
WITH c AS MATERIALIZED (
  SELECT * FROM (${UNCLAIMED}) u WHERE u.engine_version > ${NEWEST}
  UNION ALL
  (SELECT h.tenant_id, h.run_id, ${ENGINE} FROM run_heads h
    WHERE h.slot = 'queued' AND ${ENGINE} > ${NEWEST} ORDER BY h.tenant_id, h.runnable_seq LIMIT ${AT_ONCE})),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id, c.engine_version FROM run_heads h JOIN c USING (tenant_id, run_id)
   WHERE h.slot = 'queued' OR ${IS_UNCLAIMED} ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h SKIP LOCKED)
UPDATE run_heads h
   SET slot = 'parked', slot_since = clock_timestamp(), wake_at = NULL, awaited_engine = l.engine_version,
       epochs_without_progress = ${LOST_EPOCHS}, lease_expires_at = NULL, lost_at = NULL
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.run_id`,
};

/** They keep their places in the order of starts. */
const queueAgain: Statement = {
  name: 'queue-newer-engines-again',
  text: `
WITH c AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h
   WHERE ${IS_AWAITING} AND h.awaited_engine <= ${NEWEST} ORDER BY h.awaited_engine LIMIT ${AT_ONCE}),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h JOIN c USING (tenant_id, run_id)
   WHERE ${IS_AWAITING} ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h SKIP LOCKED)
UPDATE run_heads h SET slot = 'queued', slot_since = clock_timestamp(), awaited_engine = NULL
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.run_id`,
};

/**
 * Keeps runs of a newer engine than any worker has from holding slots: after a step back to an older version no worker
 * may take them. They are parked, and queued again when a worker of their engine is there. Promotions need not look at
 * engines: what is promoted in between is parked by the next round, and what is queued behind it, too.
 */
export class NewerEngines {
  constructor(private readonly database: Database) {}

  /** One statement while there is nothing to do. Returns what it moved; slots are free, or wanted, when it moved anything. */
  async round(): Promise<{ parked: number; queued: number }> {
    const [found] = await this.database.queryAgain<{ isStranded: boolean; mayGoOn: boolean }>(lookForNewer);
    return {
      parked: found!.isStranded ? await this.all(parkNewer, LOCK_SLOTS) : 0,
      queued: found!.mayGoOn ? await this.all(queueAgain) : 0,
    };
  }

  private async all(move: Statement, opening?: string): Promise<number> {
    let total = 0;
    for (let moved = AT_ONCE; moved >= AT_ONCE; total += moved) {
      moved = (await this.database.transaction((tx) => tx.query(move), opening)).length;
    }
    return total;
  }
}
