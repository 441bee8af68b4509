import pg from 'pg';
import { DatabaseUnavailableError, isConnectionFault, isOverloadFault, isSerializationFault } from './errors.js';

/** A prepared statement: planned once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** A statement with its values, and what its rows say. */
export interface PreparedQuery<Row, Result> {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly read: (rows: readonly Row[]) => Result;
}

export interface DatabaseOptions {
  connectionString: string;
  maxConnections: number;
  /** So many stay open once they were: who needs one later may find that the server has none left. None when not given. */
  minConnections?: number;
  /** How long a connection beyond those may rest before it is closed. */
  restMs?: number;
  /** Named in pg_stat_activity. */
  applicationName: string;
  /** How long a statement may stay without a reply, in case its server or the way there falls silent. */
  silenceMs?: number;
}

/** Longer than PostgreSQL itself lets a statement take. */
export const SILENCE_MS = 12_000;

const ROLLED_BACK_TRIES = 3;

/**
 * For each session: what is acknowledged is on the disk of the server. A database or a user may be set to more than that,
 * for its standbys, and keeps it.
 */
const ACKNOWLEDGE_DURABLY = `
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`;

// Timestamps are compared and calculated in SQL; here they are text or milliseconds, never Date objects in local time.
const types = { getTypeParser: typeParser };
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  const INT8 = 20;
  const JSON_TEXT = 114;
  if (oid === INT8) return Number;
  if (oid === JSON_TEXT) return (text: string) => text;
  return pg.types.getTypeParser(oid, format);
}

/**
 * Connections of the role that may not change the log. Every wait is bounded: for a connection, a lock, a statement,
 * and an idle transaction. What is committed is durable, whatever the database is set to.
 */
export class Database implements Queryable {
  private readonly pool: pg.Pool;

  constructor(options: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: options.connectionString,
      max: options.maxConnections,
      min: options.minConnections ?? 0,
      connectionTimeoutMillis: 1_500,
      idleTimeoutMillis: options.restMs ?? 30_000,
      query_timeout: options.silenceMs ?? SILENCE_MS,
      keepAlive: true,
      pipeline: true,
      application_name: options.applicationName,
      options:
        '-c role=runyard_app -c statement_timeout=10000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000',
      types: types,
    });
    // Sent before the first statement of each connection. Where it fails, that one fails, too.
    this.pool.on('connect', (client) => void client.query(ACKNOWLEDGE_DURABLY).catch(() => undefined));
    // A connection that breaks while idle is replaced at its next use.
    this.pool.on('error', () => undefined);
  }

  /** One statement, in a transaction of its own. Throws {@link DatabaseUnavailableError} when it cannot be reached. */
  async query<Row>({ name, text }: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.pool.query({ name, text, values: values as unknown[] });
      return rows as Row[];
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /**
   * A statement that may be sent twice without harm: after a broken connection (which the first query on it finds out)
   * it is tried once more.
   */
  async queryAgain<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await this.query<Row>(statement, values);
    } catch (thrown) {
      if (!(thrown instanceof DatabaseUnavailableError)) throw thrown;
      return this.query<Row>(statement, values);
    }
  }

  /**
   * All of `work` or nothing. It is started over, up to three times, when PostgreSQL rolled it back for another
   * transaction's sake; so it must have no effect outside the database. `opening` is sent together with the BEGIN. Once
   * `work` has begun, nobody knows after a {@link DatabaseUnavailableError} whether it was committed.
   */
  async transaction<T>(work: (tx: Queryable) => Promise<T>, opening = ''): Promise<T> {
    return startedOver(() => this.once(work, opening));
  }

  /**
   * As {@link transaction}, with everything sent in one go: what `opening` and the queries lock is free again after their
   * own time, however busy this process is meanwhile.
   */
  async together<RowA, A, RowB, B>(
    opening: string,
    first: PreparedQuery<RowA, A>,
    second: PreparedQuery<RowB, B>,
  ): Promise<[A, B]> {
    const [rowsA, rowsB] = await startedOver(() => this.onceTogether(opening, first, second));
    return [first.read(rowsA as RowA[]), second.read(rowsB as RowB[])];
  }

  /** As {@link transaction}, but `work` is done once: for work that has effects outside the database. */
  async transactionOnce<T>(work: (tx: Queryable) => Promise<T>, opening = ''): Promise<T> {
    try {
      return await this.once(work, opening);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /** How the pool stands: connections, those of them that rest, and callers that wait for one. */
  get connections(): { open: number; idle: number; awaited: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { open: totalCount, idle: idleCount, awaited: waitingCount };
  }

  /** Resolves when the database answers. */
  async ping(): Promise<void> {
    await this.query({ name: 'ping', text: 'SELECT 1' });
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<T>(work: (tx: Queryable) => Promise<T>, opening: string): Promise<T> {
    const client = await this.begin(opening);
    try {
      const result = await work({
        query: async <Row>({ name, text }: Statement, values: readonly unknown[] = []) =>
          (await client.query({ name, text, values: values as unknown[] })).rows as Row[],
      });
      await client.query('COMMIT');
      giveBack(client, false);
      return result;
    } catch (thrown) {
      giveBack(client, await isBroken(client, thrown));
      throw thrown;
    }
  }

  private async onceTogether(
    opening: string,
    ...queries: readonly PreparedQuery<never, unknown>[]
  ): Promise<unknown[][]> {
    const client = await this.begin('');
    try {
      const [, results] = await Promise.all([
        client.query(opening),
        Promise.all(
          queries.map(({ statement: { name, text }, values }) =>
            client.query({ name, text, values: values as unknown[] }),
          ),
        ),
        client.query('COMMIT'),
      ]);
      giveBack(client, false);
      return results.map(({ rows }) => rows as unknown[]);
    } catch (thrown) {
      // Replies to what was sent behind the failure may still be on their way.
      giveBack(client, true);
      throw thrown;
    }
  }

  /** A connection in a transaction. One that had broken while it was idle is found out here, and replaced once. */
  private async begin(opening: string): Promise<pg.PoolClient> {
    for (let isSecond = false; ; isSecond = true) {
      const client = await this.pool.connect();
      client.on('error', heardByStatement);
      try {
        await client.query(`BEGIN;${opening}`);
        return client;
      } catch (thrown) {
        giveBack(client, await isBroken(client, thrown));
        if (isSecond || !isConnectionFault(thrown)) throw thrown;
      }
    }
  }
}

/** Does again what PostgreSQL rolled back for another transaction's sake. */
async function startedOver<T>(once: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once();
    } catch (thrown) {
      if (!isSerializationFault(thrown) || attempt === ROLLED_BACK_TRIES) throw translated(thrown);
    }
  }
}

/** Nobody else need hear of it: the next statement on a broken connection fails. */
const heardByStatement = (): void => undefined;

/** Whether nothing more can be done with a connection; if something can, its transaction is rolled back. */
async function isBroken(client: pg.PoolClient, thrown: unknown): Promise<boolean> {
  if (isConnectionFault(thrown)) return true;
  return client.query('ROLLBACK').then(
    () => false,
    () => true,
  );
}

function giveBack(client: pg.PoolClient, broken: boolean): void {
  client.off('error', heardByStatement);
  client.release(broken);
}

function translated(thrown: unknown): unknown {
  return isConnectionFault(thrown) || isOverloadFault(thrown) ? new DatabaseUnavailableError(thrown) : thrown;
}
