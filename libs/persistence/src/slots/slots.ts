import type { RunKey } from '#libs/engine';
import type { RunHint } from '#libs/scheduling';
import type { Clock } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { announce } from './announce.js';
import type { CommitSignals } from '../log/commit-signals.js';
import { OVER, PAUSED, TIMES_OUT } from '../log/head-status.js';
import { LOCK_SLOTS, promote } from './promote.js';

/** Rows that one statement moves; what is more is moved by the next one. */
const AT_ONCE = 500;

const IS_EXPIRED = `slot = 'held' AND lease_owner IS NOT NULL AND lease_expires_at < clock_timestamp()`;
const IS_DUE = `slot = 'parked' AND wake_at <= now()`;
/** A worker that lives claims what is held within three seconds. */
const IS_UNHEARD = `
slot = 'held' AND lease_owner IS NULL AND pending_control = 'cancel' AND status NOT IN ${OVER}
   AND greatest(lost_at, slot_since, last_event_at) < clock_timestamp() - interval '5 s'`;

const lookAround: Statement = {
  name: 'look-around',
  text: `
SELECT EXISTS (SELECT FROM run_heads WHERE ${IS_EXPIRED}) AS expired,
       EXISTS (SELECT FROM run_heads WHERE ${IS_DUE} AND status NOT IN ${PAUSED}) AS due,
       EXISTS (SELECT FROM run_heads WHERE ${IS_DUE} AND status IN ${TIMES_OUT}) AS "duePaused",
       EXISTS (SELECT FROM run_heads WHERE ${IS_UNHEARD}) AS "unheardCancels",
       EXISTS (SELECT FROM run_heads WHERE slot = 'queued')
         AND (SELECT count(*) FROM run_heads WHERE slot = 'held') < (SELECT max_concurrent_runs FROM scheduler) AS promotable,
       (SELECT extract(epoch FROM min(wake_at) - now()) * 1000 FROM run_heads WHERE slot = 'parked' AND wake_at > now())::bigint
         AS "nextWakeMs"`,
};

/** Leases that are over by themselves: whoever claims looks at runs without an owner only. */
const expireLeases: Statement = {
  name: 'expire-leases',
  text: `
WITH c AS MATERIALIZED (
  SELECT tenant_id, run_id FROM run_heads WHERE ${IS_EXPIRED} ORDER BY tenant_id, run_id FOR NO KEY UPDATE SKIP LOCKED)
UPDATE run_heads h SET lease_owner = NULL, lost_at = clock_timestamp()
  FROM c WHERE h.tenant_id = c.tenant_id AND h.run_id = c.run_id
RETURNING h.run_id`,
};

/** The longest due first: each waits since its moment, or since it parked where that came later. */
const wakeDue: Statement = {
  name: 'wake-due',
  text: `
WITH d AS MATERIALIZED (
  SELECT tenant_id, run_id FROM run_heads WHERE ${IS_DUE} AND status NOT IN ${PAUSED} ORDER BY wake_at LIMIT ${AT_ONCE}),
c AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h JOIN d USING (tenant_id, run_id)
   WHERE h.slot = 'parked' AND h.wake_at <= now() AND h.status NOT IN ${PAUSED}
   ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h SKIP LOCKED)
UPDATE run_heads h SET slot = 'queued', slot_since = greatest(h.wake_at, h.slot_since)
  FROM c WHERE h.tenant_id = c.tenant_id AND h.run_id = c.run_id
RETURNING h.run_id`,
};

const duePaused: Statement = {
  name: 'due-paused',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", round(extract(epoch FROM wake_at) * 1000)::bigint AS "dueAtMs"
  FROM run_heads
 WHERE ${IS_DUE} AND status IN ${TIMES_OUT} ORDER BY wake_at LIMIT 50`,
};

const postpone: Statement = {
  name: 'postpone-wake',
  text: `
UPDATE run_heads SET wake_at = now() + make_interval(secs => $3 / 1000.0)
 WHERE tenant_id = $1 AND run_id = $2 AND slot = 'parked' AND wake_at <= now()`,
};

const unheardCancels: Statement = {
  name: 'unheard-cancels',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch AS epoch FROM run_heads
 WHERE ${IS_UNHEARD} ORDER BY lost_at, slot_since LIMIT 50`,
};

/** Runs promoted by one transaction. */
const MAX_PROMOTED = 100;

const unclaimed: Statement = {
  name: 'unclaimed',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch + 1 AS epoch FROM run_heads
 WHERE slot = 'held' AND lease_owner IS NULL AND status NOT IN ${OVER} ORDER BY lost_at, slot_since LIMIT ${AT_ONCE}`,
};

const setLimit: Statement = {
  name: 'set-limit',
  text: 'UPDATE scheduler SET max_concurrent_runs = $1 WHERE max_concurrent_runs <> $1',
};

/** A run that holds a slot, and the epoch that drives it or drove it last. */
export interface UnclaimedRun extends RunKey {
  epoch: number;
}

/** A parked run, and the moment that has come for it, by the database's clock. */
export interface DueRun extends RunKey {
  dueAtMs: number;
}

/** What there is to do for runs that nobody drives. */
export interface Outstanding {
  /** Leases are over, and their runs wait for another worker. */
  expired: boolean;
  /** The moment of parked runs has come. */
  due: boolean;
  /** The same of paused ones: they stay parked, and it is done for them. */
  duePaused: boolean;
  /** Runs are to be cancelled, and no worker has taken them for five seconds. */
  unheardCancels: boolean;
  /** Runs wait for a slot, and slots are free. */
  promotable: boolean;
  /** Milliseconds until something is due of a parked run; null when nothing is. */
  nextWakeMs: number | null;
}

/** Slots seen from above: what time moves, and what was forgotten. Every method may run in any process, any number of times. */
export class Slots {
  constructor(
    private readonly database: Database,
    private readonly signals: CommitSignals,
    private readonly clock: Clock,
  ) {}

  /** One statement: an idle server costs no more. */
  async outstanding(): Promise<Outstanding> {
    const [row] = await this.database.queryAgain<Outstanding>(lookAround);
    return row!;
  }

  /** Queues parked runs whose moment has come, then gives free slots to queued runs. */
  async wakeAndPromote(): Promise<void> {
    for (let woken = AT_ONCE; woken === AT_ONCE;) woken = (await this.database.queryAgain(wakeDue)).length;
    for (let promoted = MAX_PROMOTED; promoted === MAX_PROMOTED;) promoted = await this.promote();
  }

  /** Frees the runs whose leases are over for other workers; returns how many. */
  async expireLeases(): Promise<number> {
    return (await this.database.queryAgain(expireLeases)).length;
  }

  /** Paused runs of which something is due, the longest due first. */
  duePaused(): Promise<DueRun[]> {
    return this.database.query<DueRun>(duePaused);
  }

  /** Looks at a parked run again after `ms` only, so that it keeps no other from its turn. */
  async postpone({ tenantId, runId }: RunKey, ms: number): Promise<void> {
    await this.database.queryAgain(postpone, [tenantId, runId, ms]);
  }

  /** Runs that hold a slot and are to be cancelled, and that no worker has taken for five seconds. */
  unheardCancels(): Promise<UnclaimedRun[]> {
    return this.database.query<UnclaimedRun>(unheardCancels);
  }

  /** Runs that hold a slot and have no worker: their bell was lost, or their worker. Those that wait longest first. */
  unclaimed(): Promise<RunHint[]> {
    return this.database.query<RunHint>(unclaimed);
  }

  /** Sets how many runs may execute at once on all workers together. */
  async setLimit(maxConcurrentRuns: number): Promise<void> {
    await this.database.queryAgain(setLimit, [maxConcurrentRuns]);
  }

  private async promote(): Promise<number> {
    const promoted = await this.database.transaction((tx) => promote(tx, this.clock.now(), MAX_PROMOTED), LOCK_SLOTS);
    announce(this.signals, [], promoted);
    return promoted.length;
  }
}
