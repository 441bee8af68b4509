import pg from 'pg';
import { Election, type ElectionCalls } from '#libs/scheduling';

/** The advisory lock of whoever leads. */
const LEADER_LOCK = 7_286_020_102;

/** A leader that says nothing for so long stands still: PostgreSQL ends its session, which frees the lock. */
const SILENCE_MS = 3_000;
const PULSE_MS = 1_000;
/** How long a pulse may take: well within the time in which the others take over. */
const PULSE_TIMEOUT_MS = 2_000;
/** A standby asks anew after so long, so that it notices when the way to the database is gone. */
const STAND_BY_MS = 20_000;
const AGAIN_MS = 1_000;

/** LOCK_NOT_AVAILABLE: `lock_timeout` was reached. */
const NOT_AVAILABLE = '55P03';

/**
 * {@link Election} among all processes that share a database. Each has a session that waits for one lock, which costs no
 * statement while it waits: when the leader's process dies the database frees the lock, and the next one has it in the
 * same moment. A leader that stands still loses it after three seconds.
 */
export class PgElection extends Election {
  private calls: ElectionCalls | undefined;
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private leads = false;
  private closed = false;

  constructor(
    private readonly connectionString: string,
    private readonly applicationName: string,
  ) {
    super();
  }

  start(calls: ElectionCalls): void {
    this.calls = calls;
    void this.stand();
  }

  resign(): void {
    void this.client?.end().catch(ended);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.step(false);
    await client?.end().catch(ended);
  }

  private async stand(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      connectionTimeoutMillis: 1_500,
      keepAlive: true,
      application_name: `${this.applicationName} election`,
      options: `-c role=runyard_app -c idle_session_timeout=${SILENCE_MS} -c lock_timeout=${STAND_BY_MS}`,
    });
    this.client = client;
    client.on('error', ended);
    client.once('end', () => this.broken(client));
    try {
      await client.connect();
      while (!(await hasLock(client))) if (this.closed) return;
      if (this.closed) return;
      this.step(true);
      this.pulse(client);
    } catch {
      // Why does not matter: whoever cannot reach the database cannot lead, and stands again.
      await client.end().catch(ended);
      this.broken(client);
    }
  }

  private pulse(client: pg.Client): void {
    this.timer = setTimeout(() => {
      client.query({ text: 'SELECT 1', query_timeout: PULSE_TIMEOUT_MS } as pg.QueryConfig).then(
        () => this.pulse(client),
        () => void client.end().catch(ended),
      );
    }, PULSE_MS);
  }

  private broken(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    this.step(false);
    if (!this.closed) this.timer = setTimeout(() => void this.stand(), AGAIN_MS);
  }

  private step(leads: boolean): void {
    if (this.leads === leads) return;
    this.leads = leads;
    if (leads) this.calls?.elected();
    else this.calls?.lost();
  }
}

/** The end of the session follows, and that is what counts. */
const ended = (): void => undefined;

/** Waits for the lock; false when others kept it all the time. */
async function hasLock(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`SELECT pg_advisory_lock(${LEADER_LOCK})`);
    return true;
  } catch (thrown) {
    if ((thrown as { code?: string }).code === NOT_AVAILABLE) return false;
    throw thrown;
  }
}
