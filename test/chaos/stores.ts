import pg from 'pg';
import { startPostgres, type PostgresServer } from '../support/postgres-server.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis-server.js';
import { Bucket } from './bucket.js';
import { TcpProxy } from './tcp-proxy.js';

/** What stands in front of a site's stores. */
interface Proxies {
  readonly postgres: TcpProxy;
  readonly redis: TcpProxy | undefined;
}

interface Opening {
  /** Whether processes reach PostgreSQL and Redis through proxies. */
  proxied?: boolean;
  /** Whether a bucket behind a proxy takes the place of the disk. */
  bucket?: boolean;
  /** Settings of PostgreSQL, `name=value`. */
  postgresFlags?: readonly string[];
}

/** The PostgreSQL of a site, and its Redis where one is installed; without it PostgreSQL rings the bells. */
export class Stores {
  private constructor(
    private server: PostgresServer,
    readonly redis: RedisServer | undefined,
    readonly proxies: Proxies | undefined,
    readonly bucket: Bucket | undefined,
  ) {}

  static async open({ proxied = false, bucket = false, postgresFlags = [] }: Opening): Promise<Stores> {
    const postgres = await startPostgres({ flags: postgresFlags });
    const redis = redisAvailable() ? await startRedis() : undefined;
    const proxies = proxied && {
      postgres: await TcpProxy.before(postgres.connectionString),
      redis: redis && (await TcpProxy.before(redis.url)),
    };
    return new Stores(postgres, redis, proxies || undefined, bucket ? await Bucket.open() : undefined);
  }

  /** The one that is written to. */
  get postgres(): PostgresServer {
    return this.server;
  }

  /** Another server has taken the place of the first one, which is removed; the proxy leads there. */
  async replacePostgres(successor: PostgresServer): Promise<void> {
    const { server } = this;
    this.server = successor;
    await server.remove();
  }

  /** How processes reach them: through the proxies, if there are any. */
  get variables(): NodeJS.ProcessEnv {
    const { postgres, redis, proxies } = this;
    const { connectionString } = postgres;
    return {
      DATABASE_URL: proxies?.postgres.urlOf(connectionString) ?? connectionString,
      REDIS_URL: redis && (proxies?.redis?.urlOf(redis.url) ?? redis.url),
      ...this.bucket?.variables,
    };
  }

  /** One statement on a connection of its own, past the proxies. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.postgres.connectionString, connectionTimeoutMillis: 10_000 });
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
    this.bucket?.proxy.heal();
  }

  async close(): Promise<void> {
    await this.proxies?.postgres.close();
    await this.proxies?.redis?.close();
    await this.bucket?.close();
    await this.redis?.remove();
    await this.postgres.remove();
  }
}
