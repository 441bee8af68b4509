import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runnersOf } from '../support/local-sandbox.js';
import { freePort, startPostgres, type PostgresServer } from '../support/postgres-server.js';
import { TestProcess } from '../support/processes.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis-server.js';
import type { Build } from '../support/standalone.js';
import type { SignalPoint } from '../support/worker-process.js';
import { Member } from './member.js';
import { SideEffects } from './side-effects.js';
import { TcpProxy } from './tcp-proxy.js';

export interface SiteOptions {
  build: Build;
  apis?: number;
  workers?: number;
  /** Runs that each worker drives at once. */
  slots?: number;
  /** Runs that may execute at once. */
  limit?: number;
  /** Without it PostgreSQL rings the bells; there is one where it is installed, if nobody says otherwise. */
  redis?: boolean;
  /** Whether processes reach PostgreSQL and Redis through proxies. */
  proxied?: boolean;
  /** More variables for the process of this place. */
  surroundings?: (member: 'api' | 'worker', place: number) => NodeJS.ProcessEnv;
  /** Prepares the state directory before anybody uses it; what it returns undoes that. */
  prepare?: (home: string) => Promise<() => Promise<void>>;
  /** What the process of this place runs when it is started, if not the build. */
  buildOf?: (member: 'api' | 'worker', place: number) => Build;
  /** Where the worker of this place dies when it is started; it lives on when there is no such point. */
  dyingAt?: (place: number) => SignalPoint | undefined;
}

const dyingWorker = fileURLToPath(new URL('./dying-worker.js', import.meta.url));
/** On a machine that is busy with everything else that starts. */
const START_MS = 60_000;

/**
 * Several API and worker processes around a PostgreSQL and a Redis of their own, on one host. Nothing here survives
 * {@link close}.
 */
export class Site {
  readonly token = `service_dev_${randomBytes(32).toString('hex')}`;

  private constructor(
    readonly postgres: PostgresServer,
    readonly redis: RedisServer | undefined,
    readonly proxies: { readonly postgres: TcpProxy; readonly redis: TcpProxy | undefined } | undefined,
    readonly folder: string,
    readonly limit: number,
    readonly urls: readonly string[],
    readonly effects: SideEffects,
    readonly apis: readonly Member[],
    readonly workers: readonly Member[],
    private readonly undo: (() => Promise<void>) | undefined,
  ) {}

  static async open(options: SiteOptions): Promise<Site> {
    const {
      apis = 2,
      workers = 3,
      slots = 4,
      limit = 10,
      redis: withRedis = redisAvailable(),
      proxied = false,
    } = options;
    const folder = await mkdtemp(join(tmpdir(), 'runyard-chaos-'));
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'work'));
    const postgres = await startPostgres();
    const redis = withRedis ? await startRedis() : undefined;
    const proxies = proxied
      ? {
          postgres: await TcpProxy.before(postgres.connectionString),
          redis: redis && (await TcpProxy.before(redis.url)),
        }
      : undefined;
    const databaseUrl = proxies?.postgres.urlOf(postgres.connectionString) ?? postgres.connectionString;
    const redisUrl = redis && (proxies?.redis?.urlOf(redis.url) ?? redis.url);
    const ports = await Promise.all(Array.from({ length: apis }, () => freePort()));
    const members: { apis: Member[]; workers: Member[] } = { apis: [], workers: [] };
    const site = new Site(
      postgres,
      redis,
      proxies,
      folder,
      limit,
      ports.map((port) => `http://127.0.0.1:${port}`),
      await SideEffects.in(join(folder, 'ledger')),
      members.apis,
      members.workers,
      await options.prepare?.(join(folder, 'home')),
    );
    const { PATH, HOME, TMPDIR } = process.env;
    const env = {
      ...{ PATH, HOME, TMPDIR, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
      RUNYARD_HOME: site.home,
      RUNYARD_LOG: 'info',
      RUNYARD_SERVER_MAX_CONCURRENT_RUNS: String(limit),
      RUNYARD_WORKER_SLOTS: String(slots),
      RUNYARD_DEV_TOKEN: site.token,
    };
    const begin = async (app: 'api' | 'worker', place: number, more: NodeJS.ProcessEnv, ready: string) => {
      const build = options.buildOf?.(app, place) ?? options.build;
      const at = app === 'worker' ? options.dyingAt?.(place) : undefined;
      const program = at ? [dyingWorker, build.dist, JSON.stringify(at)] : [build.main(app)];
      const started = TestProcess.start(program, { ...env, ...options.surroundings?.(app, place), ...more });
      await started.says(ready, START_MS);
      return started;
    };
    ports.forEach((port, place) => {
      const bind = { RUNYARD_BIND: `127.0.0.1:${port}` };
      members.apis.push(new Member(`api ${place}`, () => begin('api', place, bind, 'The API listens.')));
    });
    for (let place = 0; place < workers; place++) {
      members.workers.push(new Member(`worker ${place}`, () => begin('worker', place, {}, 'The worker is ready.')));
    }
    return site;
  }

  get home(): string {
    return join(this.folder, 'home');
  }

  /** Where commands work. */
  get directory(): string {
    return join(this.folder, 'work');
  }

  get members(): readonly Member[] {
    return [...this.apis, ...this.workers];
  }

  /** Starts whoever does not live; the first API alone, since it migrates. */
  async start(): Promise<void> {
    await this.apis[0]!.start();
    await Promise.all(this.members.map((member) => member.start()));
  }

  /** Everything works again: proxies, Redis, PostgreSQL, processes. */
  async heal(): Promise<void> {
    this.proxies?.postgres.heal();
    this.proxies?.redis?.heal();
    for (const member of this.members) member.thaw();
    await this.start();
  }

  /** One statement past everything that chaos may stand in front of. */
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

  /** Processes that still work for this site, runners included. */
  leftProcesses(): Promise<number[]> {
    return runnersOf(this.home);
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    await this.keepLogs();
    for (const pid of await this.leftProcesses()) endQuietly(pid);
    await this.proxies?.postgres.close();
    await this.proxies?.redis?.close();
    await this.redis?.remove();
    await this.postgres.remove();
    await this.undo?.();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private async keepLogs(): Promise<void> {
    if (LOGS === undefined) return;
    const folder = join(LOGS, basename(this.folder));
    await mkdir(folder, { recursive: true });
    await Promise.all(
      this.members.map(({ name, output }) => writeFile(join(folder, `${name.replace(' ', '-')}.log`), output)),
    );
  }
}

/** Where what the processes said is kept, if anybody wants to read it. */
const LOGS = process.env.RUNYARD_CHAOS_LOGS;

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
