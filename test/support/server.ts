import { createRunyardClient, type RunyardClient } from '#libs/api-client';
import type { HooksReach } from '#libs/config';
import { DEFAULT_TENANT, type RunId } from '#libs/kernel';
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { startApi, type HttpLimits, type RunningApi } from '../../apps/api/src/index.js';
import { createLogger, issueDevToken, issueWorkerToken, type Logger, type Platform } from '#libs/server-runtime';
import { startWorker, type RunningWorker } from '../../apps/worker/src/index.js';
import { ApiCaller } from './api-caller.js';
import { migratedDatabase } from './migrated-database.js';
import { compilingFromSource, drawingFromSource } from './program-from-source.js';
import { sandboxHost, type SandboxHost } from './local-sandbox.js';
import { serverErrors } from './server-errors.js';
import { testPlatform } from './test-platform.js';

export interface ServerOptions {
  /** Runs that may execute at once. */
  limit?: number;
  redisUrl?: string;
  /** Without a worker runs wait until one is started. */
  worker?: boolean;
  /** Where hooks may post to; anywhere when not given. */
  hooksReach?: HooksReach;
  /** What anybody may hold of the API; specs share one token, and may hold more of it than people. */
  limits?: Partial<HttpLimits>;
}

/** An API and, unless it is left out, a worker: in this process, on a database and a sandbox host of their own. */
export interface TestServer {
  readonly url: string;
  readonly databaseUrl: string;
  readonly platform: Platform;
  readonly host: SandboxHost;
  readonly limit: number;
  readonly client: RunyardClient;
  /** Speaks for the person with the dev token. */
  readonly caller: ApiCaller;
  /** Speaks for a run, with a token as its commands have it. */
  speakerOf(runId: string): Promise<ApiCaller>;
  /** Another tenant's person. */
  stranger(): Promise<ApiCaller>;
  /** One more worker on the same platform. */
  startWorker(slots?: number): Promise<RunningWorker>;
  /** Ends everything and removes database and sandboxes. Rejects when any request was answered with 500. */
  close(): Promise<void>;
}

const SLOTS = 32;

const MANY: Partial<HttpLimits> = { streamsPerToken: 1_000, wrongTokensPerMinute: 1_000 };

export async function testServer({
  limit = SLOTS,
  redisUrl,
  worker = true,
  hooksReach = 'anywhere',
  limits = MANY,
}: ServerOptions = {}): Promise<TestServer> {
  const kept = new KeptLines();
  const log = createLogger(process.env.RUNYARD_TEST_LOG ?? 'info', 'test', kept);
  const database = await migratedDatabase();
  const host = await sandboxHost();
  const platform = await testPlatform({
    databaseUrl: database.connectionString,
    folder: host.stateDirectory,
    limit,
    redisUrl,
    log,
  });
  const api = await listening(platform, host, log, { limits, hooksReach });
  const url = api.addresses[0]!;
  const workers = new Set<RunningWorker>();
  const addWorker = async (slots = SLOTS): Promise<RunningWorker> => {
    const setup = {
      slots,
      sandboxDirectory: host.stateDirectory,
      apiAddress: url,
      hooksReach,
      sandboxes: [host.provider()],
    };
    const running = await startWorker(platform, log, setup);
    workers.add(running);
    return {
      worker: running.worker,
      async stop(graceMs) {
        workers.delete(running);
        await running.stop(graceMs);
      },
    };
  };
  if (worker) await addWorker();
  platform.upkeep.start();

  const token = await issueDevToken(platform.tokens);
  const client = createRunyardClient({ server: url, token });
  return {
    url,
    databaseUrl: database.connectionString,
    platform,
    host,
    limit,
    client,
    caller: new ApiCaller(url, token, host.workingDirectory),
    speakerOf: async (runId) => {
      const owner = { tenantId: DEFAULT_TENANT, runId: runId as RunId };
      return new ApiCaller(url, await issueWorkerToken(platform.tokens, owner), host.workingDirectory);
    },
    stranger: async () => new ApiCaller(url, await strangersToken(database.connectionString), host.workingDirectory),
    startWorker: addWorker,
    async close() {
      await client.close();
      await api.close();
      await Promise.all([...workers].map((running) => running.stop(1_000)));
      await platform.close();
      await host.remove();
      await database.drop();
      const errors = serverErrors([kept]);
      if (errors.length > 0) throw new Error(errors.join('\n'));
    },
  };
}

function listening(
  platform: Platform,
  host: SandboxHost,
  log: Logger,
  { limits, hooksReach }: Required<Pick<ServerOptions, 'limits' | 'hooksReach'>>,
): Promise<RunningApi> {
  const local = { provider: 'local', env: {}, labels: {} } as const;
  return startApi(platform, log, {
    bindings: [{ host: '127.0.0.1', port: 0 }],
    defaults: {
      model: null,
      environment: 'default',
      environments: { default: local },
      providers: ['local'],
      hooksReach,
    },
    webUrl: null,
    storageDirectory: host.stateDirectory,
    limits,
    localLeastRole: 'operator',
    drawing: drawingFromSource(),
    compiling: compilingFromSource(),
  });
}

/** Keeps the lines that tell of requests answered with 500, and shows all of them where that is wished for. */
class KeptLines {
  output = '';

  write(line: string): void {
    if (/"status":500|failed on our side/.test(line)) this.output += line;
    if (process.env.RUNYARD_TEST_LOG !== undefined) process.stderr.write(line);
  }
}

async function strangersToken(databaseUrl: string): Promise<string> {
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`INSERT INTO tenants (id, name) VALUES ('stranger', 'Stranger') ON CONFLICT DO NOTHING`);
    await client.query(
      `INSERT INTO access_tokens (token_sha256, tenant_id, role, principal)
       SELECT $1, 'stranger', role, principal FROM access_tokens WHERE tenant_id = $2 LIMIT 1`,
      [createHash('sha256').update(token).digest('hex'), DEFAULT_TENANT],
    );
  } finally {
    await client.end();
  }
  return token;
}
