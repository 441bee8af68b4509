import pg from 'pg';
import type { Database, Statement } from '../database.js';

/** First key of the advisory locks of workers. The second is the worker's number. */
const LOCK_SPACE = 0x72_79;

/** While the database does not let a worker back. */
const AGAIN_MS = 500;

/** In one statement, so that nobody sees the worker registered and its lock not yet taken. */
const register: Statement = {
  name: 'register-worker',
  text: `
WITH w AS (
  INSERT INTO workers (id) VALUES ($1)
  ON CONFLICT (id) DO UPDATE SET registered_at = now(), postmaster_started_at = pg_postmaster_start_time()
  RETURNING lock_number)
SELECT pg_advisory_lock(${LOCK_SPACE}, lock_number::int) FROM w`,
};

const leave: Statement = {
  name: 'leave',
  text: `
WITH gone AS (DELETE FROM workers WHERE id = $1),
l AS MATERIALIZED (
  SELECT tenant_id, run_id FROM run_heads WHERE slot = 'held' AND lease_owner = $1
   ORDER BY tenant_id, run_id FOR NO KEY UPDATE)
UPDATE run_heads h SET lease_owner = NULL, lease_expires_at = NULL
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id`,
};

/**
 * One worker's sign of life: a session of its own that holds an advisory lock. When the process dies, PostgreSQL ends
 * the session and frees the lock at once. A session that breaks while the worker lives is replaced before anybody takes
 * the worker for dead; when PostgreSQL restarts, the worker takes its lock again by itself.
 */
export class WorkerPresence {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly connectionString: string,
    private readonly workerId: string,
  ) {}

  /** Registers the worker and takes its lock; rejects, and tries no further, when the database cannot be reached. */
  async announce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      connectionTimeoutMillis: 1_500,
      keepAlive: true,
      application_name: `runyard presence ${this.workerId}`,
      options: '-c role=runyard_app',
    });
    client.on('error', () => undefined); // The end of the session follows, and that is what counts.
    try {
      await client.connect();
      await client.query(register.text, [this.workerId]);
    } catch (thrown) {
      await client.end().catch(() => undefined);
      throw thrown;
    }
    this.client = client;
    client.once('end', () => this.lost());
    if (this.closed) await this.leave();
  }

  /**
   * Frees the lock and forgets the worker: it left, it did not die. Runs that it could not give back are free for
   * others at once.
   */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.leave();
  }

  private async leave(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.query(leave.text, [this.workerId]).catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  private lost(afterMs = 0): void {
    this.client = undefined;
    if (this.closed) return;
    this.retry = setTimeout(() => void this.announce().catch(() => this.lost(AGAIN_MS)), afterMs);
  }
}

/** SQL: whether the worker `w` holds its lock. */
export const HOLDS_LOCK = `
EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.classid = ${LOCK_SPACE}
           AND l.objid = w.lock_number AND l.granted
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

/** A restart of PostgreSQL frees the locks of living workers; they take them again in much less than this. */
const RETURN_WITHIN = "interval '30 seconds'";

const IS_MISSING = `
(w.postmaster_started_at = pg_postmaster_start_time() OR pg_postmaster_start_time() < now() - ${RETURN_WITHIN})
   AND NOT ${HOLDS_LOCK}`;

const lookForMissing: Statement = {
  name: 'look-for-missing-workers',
  text: `SELECT w.id FROM workers w WHERE ${IS_MISSING}`,
};

/** A worker that came back since it was looked for keeps its leases. */
const endLeases: Statement = {
  name: 'end-leases-of-dead',
  text: `
WITH gone AS (DELETE FROM workers w WHERE w.id = ANY($1::text[]) AND ${IS_MISSING} RETURNING w.id),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h JOIN gone ON h.lease_owner = gone.id
   WHERE h.slot = 'held' ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h)
UPDATE run_heads h
   SET lease_owner = NULL, lost_at = clock_timestamp(), lease_expires_at = clock_timestamp() - interval '1 millisecond'
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.run_id`,
};

/**
 * Sees workers die. A worker is dead when its lock was missing in two looks in a row and the server it took the lock
 * from still runs, or was followed by another one so long ago that the worker would be back; then its leases end at once instead of in 10 s. Safe at any time: every write is fenced by epoch.
 */
export class Reaper {
  private missing = new Set<string>();

  constructor(private readonly database: Database) {}

  /** One look, to be repeated some 200 ms apart. Returns how many runs lost their worker just now. */
  async look(): Promise<number> {
    const now = (await this.database.query<{ id: string }>(lookForMissing)).map(({ id }) => id);
    const dead = now.filter((id) => this.missing.has(id));
    this.missing = new Set(now);
    if (dead.length === 0) return 0;
    return (await this.database.query(endLeases, [dead])).length;
  }
}
