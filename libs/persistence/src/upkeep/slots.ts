import type { RunKey } from '#libs/engine';
import type { RunHint } from '#libs/scheduling';
import type { Clock } from '#libs/kernel';
import type { Database, Statement } from '../database.js';
import { announce } from '../store/announce.js';
import type { CommitSignals } from '../store/commit-signals.js';
import { OVER } from '../store/head-status.js';
import { LOCK_SLOTS, promote } from '../store/promote.js';

/** `wake_at` stays until the run has a slot: since then it waits. */
const wakeDue: Statement = {
  name: 'wake-due',
  text: `
WITH c AS MATERIALIZED (
  SELECT tenant_id, run_id FROM run_heads
   WHERE slot = 'parked' AND status <> 'paused' AND wake_at <= now()
   ORDER BY tenant_id, run_id FOR NO KEY UPDATE SKIP LOCKED LIMIT 500)
UPDATE run_heads h SET slot = 'queued' FROM c WHERE h.tenant_id = c.tenant_id AND h.run_id = c.run_id
RETURNING h.run_id`,
};

const duePaused: Statement = {
  name: 'due-paused',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", round(extract(epoch FROM wake_at) * 1000)::bigint AS "dueAtMs"
  FROM run_heads
 WHERE slot = 'parked' AND status = 'paused' AND wake_at <= now() ORDER BY wake_at LIMIT 50`,
};

/** A worker that lives claims what is held within three seconds. */
const unheardCancels: Statement = {
  name: 'unheard-cancels',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch AS epoch FROM run_heads
 WHERE slot = 'held' AND pending_control = 'cancel' AND status NOT IN ${OVER}
   AND greatest(lease_expires_at, last_event_at) < clock_timestamp() - interval '5 s'
 ORDER BY runnable_seq LIMIT 50`,
};

const nextWake: Statement = {
  name: 'next-wake',
  text: `SELECT (extract(epoch FROM min(wake_at) - now()) * 1000)::bigint AS "inMs" FROM run_heads WHERE slot = 'parked'`,
};

/** Runs promoted by one round; the next one goes on. */
const MAX_PROMOTED = 100;

const hasQueued: Statement = {
  name: 'has-queued',
  text: `SELECT EXISTS (SELECT FROM run_heads WHERE slot = 'queued') AS "hasQueued"`,
};

const unclaimed: Statement = {
  name: 'unclaimed',
  text: `
SELECT tenant_id AS "tenantId", run_id AS "runId", lease_epoch + 1 AS epoch FROM run_heads
 WHERE slot = 'held' AND status NOT IN ${OVER} AND (lease_expires_at IS NULL OR lease_expires_at < clock_timestamp())
 ORDER BY runnable_seq LIMIT 500`,
};

const setLimit: Statement = {
  name: 'set-limit',
  text: 'UPDATE scheduler SET max_concurrent_runs = $1 WHERE max_concurrent_runs <> $1',
};

/** A run that holds a slot, and the epoch that drives it or drove it last. */
export interface HeldRun extends RunKey {
  epoch: number;
}

/** A parked run, and the moment that has come for it, by the database's clock. */
export interface DueRun extends RunKey {
  dueAtMs: number;
}

/** Slots seen from above: what time moves, and what was forgotten. Every method may run in any process, any number of times. */
export class Slots {
  constructor(
    private readonly database: Database,
    private readonly signals: CommitSignals,
    private readonly clock: Clock,
  ) {}

  /** Queues parked runs whose moment has come, then gives free slots to queued runs. */
  async wakeAndPromote(): Promise<void> {
    await this.database.queryAgain(wakeDue);
    const [row] = await this.database.query<{ hasQueued: boolean }>(hasQueued);
    if (!row?.hasQueued) return;
    const promoted = await this.database.transaction((tx) => promote(tx, this.clock.now(), MAX_PROMOTED), LOCK_SLOTS);
    announce(this.signals, [], promoted);
  }

  /** Paused runs of which something is due: they stay parked, and it is done for them. */
  duePaused(): Promise<DueRun[]> {
    return this.database.query<DueRun>(duePaused);
  }

  /** Runs that hold a slot and are to be cancelled, and that no worker has taken for five seconds. */
  unheardCancels(): Promise<HeldRun[]> {
    return this.database.query<HeldRun>(unheardCancels);
  }

  /** Milliseconds until something is due of a parked run; null when nothing ever is. */
  async nextWakeMs(): Promise<number | null> {
    const [row] = await this.database.query<{ inMs: number | null }>(nextWake);
    return row?.inMs ?? null;
  }

  /** Runs that hold a slot and have no worker: their bell was lost, or their worker. */
  unclaimed(): Promise<RunHint[]> {
    return this.database.query<RunHint>(unclaimed);
  }

  /** Sets how many runs may execute at once on all workers together. */
  async setLimit(maxConcurrentRuns: number): Promise<void> {
    await this.database.queryAgain(setLimit, [maxConcurrentRuns]);
  }
}
