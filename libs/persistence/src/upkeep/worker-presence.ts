import pg from 'pg';
import { ENGINE_VERSION } from '#libs/engine';
import type { Database, Statement } from '../database.js';

/** First key of the advisory locks of workers. The second is the worker's number. */
const LOCK_SPACE = 0x72_79;

/** While the database does not let a worker back. */
const AGAIN_MS = 500;
const PULSE_EVERY_MS = 5_000;
/** A pulse that stays without an answer for this long has lost its way: the session is of no use any more. */
const SILENCE_MS = 2_000;
const LEAVE_WITHIN_MS = 5_000;

/** How PostgreSQL finds out that nobody is at the other end, within the time of a lease. */
const KEEPALIVES = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=2';

/**
 * In one statement, so that nobody sees the worker registered and its lock not yet taken. The lock has a new number each
 * time: PostgreSQL may go on holding the one of a session that broke on the way.
 */
const register: Statement = {
  name: 'register-worker',
  text: `
WITH w AS (
  INSERT INTO workers (id, incarnation, renewals_name, engine_version) VALUES ($1, server_incarnation(), $2, ${ENGINE_VERSION})
  ON CONFLICT (id) DO UPDATE
    SET registered_at = now(), postmaster_started_at = pg_postmaster_start_time(), lock_number = DEFAULT,
        incarnation = excluded.incarnation, renewals_name = excluded.renewals_name,
        engine_version = excluded.engine_version
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

export interface PresenceOptions {
  /** The application name of the sessions that renew this worker's leases, and of no others. */
  renewalsName?: string;
  pulseEveryMs?: number;
}

/**
 * One worker's sign of life: a session of its own that holds an advisory lock. When the process dies, PostgreSQL ends
 * the session and frees the lock at once. A session that breaks while the worker lives is replaced before anybody takes
 * the worker for dead; when PostgreSQL restarts, the worker takes its lock again by itself. A session that broke without
 * a word, and a registration that somebody removed, are found by a pulse and replaced, too.
 */
export class WorkerPresence {
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private pulse: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly connectionString: string,
    private readonly workerId: string,
    private readonly options: PresenceOptions = {},
  ) {}

  /** Registers the worker and takes its lock; rejects, and tries no further, when the database cannot be reached. */
  async announce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      connectionTimeoutMillis: 1_500,
      keepAlive: true,
      application_name: `runyard presence ${this.workerId}`,
      options: `-c role=runyard_app -c statement_timeout=${LEAVE_WITHIN_MS} -c lock_timeout=1000 ${KEEPALIVES}`,
    });
    client.on('error', () => undefined); // The end of the session follows, and that is what counts.
    try {
      await client.connect();
      await this.ask(client, register, [this.workerId, this.options.renewalsName ?? null]);
    } catch (thrown) {
      await client.end().catch(() => undefined);
      throw thrown;
    }
    this.client = client;
    client.once('end', () => this.lost(client));
    this.pulseSoon(client);
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
    clearTimeout(this.pulse);
    if (!client) return;
    await this.ask(client, leave, [this.workerId], LEAVE_WITHIN_MS).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  private pulseSoon(client: pg.Client): void {
    this.pulse = setTimeout(() => void this.feel(client), this.options.pulseEveryMs ?? PULSE_EVERY_MS);
  }

  private async feel(client: pg.Client): Promise<void> {
    const isThere = await this.ask(client, isRegistered, [this.workerId]).then(
      ({ rows }) => rows.length > 0,
      () => false,
    );
    if (this.client !== client) return;
    if (isThere) return this.pulseSoon(client);
    this.lost(client);
    await client.end().catch(() => undefined);
  }

  private ask(
    client: pg.Client,
    { text }: Statement,
    values: unknown[],
    query_timeout = SILENCE_MS,
  ): Promise<pg.QueryResult> {
    return client.query({ text, values, query_timeout } as pg.QueryConfig);
  }

  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.pulse);
    this.comeBack(0);
  }

  private comeBack(afterMs: number): void {
    if (this.closed) return;
    this.retry = setTimeout(() => void this.announce().catch(() => this.comeBack(AGAIN_MS)), afterMs);
  }
}

/** SQL: whether the worker `w` holds its lock. */
export const HOLDS_LOCK = `
EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.classid = ${LOCK_SPACE}
           AND l.objid = w.lock_number AND l.granted
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;

const isRegistered: Statement = {
  name: 'is-registered',
  text: `SELECT FROM workers w WHERE w.id = $1 AND ${HOLDS_LOCK}`,
};

/** A restart or a promotion frees the locks of living workers; they take them again in much less than this. */
const RETURN_WITHIN = "interval '30 seconds'";

/** A version that knows no incarnations registers with the start of the server alone. */
const REGISTERED_HERE =
  'coalesce(w.incarnation = server_incarnation(), w.postmaster_started_at = pg_postmaster_start_time())';

const IS_MISSING = `
(${REGISTERED_HERE} OR EXISTS (
   SELECT FROM server_incarnations i
    WHERE i.id = server_incarnation() AND i.first_seen_at < clock_timestamp() - ${RETURN_WITHIN}))
   AND NOT ${HOLDS_LOCK}`;

/** Whoever looks first at a server that is new at work says so; time to come back counts from then on. */
const lookForMissing: Statement = {
  name: 'look-for-missing-workers',
  text: `
WITH seen AS (
  INSERT INTO server_incarnations (id) SELECT server_incarnation()
   WHERE NOT EXISTS (SELECT FROM server_incarnations WHERE id = server_incarnation()) ON CONFLICT DO NOTHING)
SELECT w.id FROM workers w WHERE ${IS_MISSING}`,
};

/** All sockets of a process close together: whose renewals are still connected lost one session and not its life. */
const CAN_RENEW = 'EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = w.renewals_name)';

/** A worker that came back since it was looked for keeps its leases. */
const endLeases: Statement = {
  name: 'end-leases-of-dead',
  text: `
WITH gone AS (
  DELETE FROM workers w WHERE w.id = ANY($1::text[]) AND ${IS_MISSING} AND NOT ${CAN_RENEW} RETURNING w.id),
l AS MATERIALIZED (
  SELECT h.tenant_id, h.run_id FROM run_heads h JOIN gone ON h.lease_owner = gone.id
   WHERE h.slot = 'held' ORDER BY h.tenant_id, h.run_id FOR NO KEY UPDATE OF h)
UPDATE run_heads h
   SET lease_owner = NULL, lost_at = clock_timestamp(), lease_expires_at = clock_timestamp() - interval '1 millisecond'
  FROM l WHERE h.tenant_id = l.tenant_id AND h.run_id = l.run_id
RETURNING h.run_id`,
};

/**
 * Sees workers die. A worker is dead when its lock was missing in two looks in a row, none of its renewals is connected,
 * and the server that it took the lock from is still the one at work, or another one has been for so long that the
 * worker would be back. Then its leases end at once instead of in 10 s. Safe at any time: every write is fenced by epoch.
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
