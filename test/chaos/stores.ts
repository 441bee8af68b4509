import pg from 'pg';
import { startPostgres, type PostgresServer } from '../support/postgres-server.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis-server.js';
import { TcpProxy } from './tcp-proxy.js';

/** What stands in front of a site's stores. */
interface Proxies {
  readonly postgres: TcpProxy;
  readonly redis: TcpProxy | undefined;
}

/** The PostgreSQL of a site, and its Redis where one is installed; without it PostgreSQL rings the bells. */
export class Stores {
  private constructor(
    readonly postgres: PostgresServer,
    readonly redis: RedisServer | undefined,
    readonly proxies: Proxies | undefined,
  ) {}

  static async open({ proxied = false }): Promise<Stores> {
    const postgres = await startPostgres();
    const redis = redisAvailable() ? await startRedis() : undefined;
    if (!proxied) return new Stores(postgres, redis, undefined);
    return new Stores(postgres, redis, {
      postgres: await TcpProxy.before(postgres.connectionString),
      redis: redis && (await TcpProxy.before(redis.url)),
    });
  }

  /** How processes reach them: through the proxies, if there are any. */
  get variables(): NodeJS.ProcessEnv {
    const { postgres, redis, proxies } = this;
    const { connectionString } = postgres;
    return {
      DATABASE_URL: proxies?.postgres.urlOf(connectionString) ?? connectionString,
      REDIS_URL: redis && (proxies?.redis?.urlOf(redis.url) ?? redis.url),
    };
  }

  /** One statement on a connection of its own, past the proxies. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.postgres.connectionString, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  heal(): void {
    this.proxies?.postgres.heal();
    this.proxies?.redis?.heal();
  }

  async close(): Promise<void> {
    await this.proxies?.postgres.close();
    await this.proxies?.redis?.close();
    await this.redis?.remove();
    await this.postgres.remove();
  }
}
