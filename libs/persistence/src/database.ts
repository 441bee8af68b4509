import pg from 'pg';
import { DatabaseUnavailableError, isConnectionFault, isSerializationFault } from './errors.js';

/** A prepared statement: planned once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  connectionString: string;
  maxConnections: number;
  /** Named in pg_stat_activity. */
  applicationName: string;
}

const ROLLED_BACK_TRIES = 3;

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
 * and an idle transaction.
 */
export class Database implements Queryable {
  private readonly pool: pg.Pool;

  constructor(options: DatabaseOptions) {
    this.pool = new pg.Pool({
      connectionString: options.connectionString,
      max: options.maxConnections,
      connectionTimeoutMillis: 1_500,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: options.applicationName,
      options:
        '-c role=runyard_app -c statement_timeout=10000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000',
      types: types,
    });
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
   * transaction's sake; so it must have no effect outside the database. `opening` is sent together with the BEGIN.
   */
  async transaction<T>(work: (tx: Queryable) => Promise<T>, opening = ''): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(work, opening);
      } catch (thrown) {
        if (!isSerializationFault(thrown) || attempt === ROLLED_BACK_TRIES) throw translated(thrown);
      }
    }
  }

  /** All of `work` or nothing, and `work` is done once: for work that has effects outside the database. */
  async transactionOnce<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.once(work, '');
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
    const client = await this.pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => void (broken = error);
    client.on('error', onError);
    try {
      await client.query(`BEGIN;${opening}`);
      const result = await work({
        query: async <Row>({ name, text }: Statement, values: readonly unknown[] = []) =>
          (await client.query({ name, text, values: values as unknown[] })).rows as Row[],
      });
      await client.query('COMMIT');
      return result;
    } catch (thrown) {
      await client.query('ROLLBACK').catch((error: Error) => (broken = error));
      throw thrown;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }
}

function translated(thrown: unknown): unknown {
  return isConnectionFault(thrown) ? new DatabaseUnavailableError(thrown) : thrown;
}
