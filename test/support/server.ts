import { createRunyardClient, type RunyardClient } from '#libs/api-client';
import { DEFAULT_TENANT } from '#libs/kernel';
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { startApi, type RunningApi } from '../../apps/api/src/index.js';
import { createLogger, issueDevToken, type Platform } from '../../apps/platform/src/index.js';
import { startWorker, type RunningWorker } from '../../apps/worker/src/index.js';
import { ApiCaller } from './api-caller.js';
import { testDatabase } from './embedded-postgres.js';
import { drawingFromSource } from './program-from-source.js';
import { sandboxHost, type SandboxHost } from './local-sandbox.js';
import { testPlatform } from './test-platform.js';

export interface ServerOptions {
  /** Runs that may execute at once. */
  limit?: number;
  redisUrl?: string;
  /** Without a worker runs wait until one is started. */
  worker?: boolean;
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
  /** Another tenant's person. */
  stranger(): Promise<ApiCaller>;
  /** One more worker on the same platform. */
  startWorker(slots?: number): Promise<RunningWorker>;
  /** Ends everything and removes database and sandboxes. */
  close(): Promise<void>;
}

const SLOTS = 32;
const log = createLogger(process.env.RUNYARD_TEST_LOG ?? 'silent', 'test');

export async function testServer({ limit = SLOTS, redisUrl, worker = true }: ServerOptions = {}): Promise<TestServer> {
  const database = await testDatabase();
  const host = await sandboxHost();
  const platform = await testPlatform({
    databaseUrl: database.connectionString,
    folder: host.stateDirectory,
    limit,
    redisUrl,
    log,
  });
  const api = await listening(platform, host);
  const url = api.addresses[0]!;
  const workers = new Set<RunningWorker>();
  const addWorker = async (slots = SLOTS): Promise<RunningWorker> => {
    const setup = { slots, sandboxDirectory: host.stateDirectory, apiAddress: url, sandboxes: [host.provider()] };
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
    stranger: async () => new ApiCaller(url, await strangersToken(database.connectionString), host.workingDirectory),
    startWorker: addWorker,
    async close() {
      await client.close();
      await api.close();
      await Promise.all([...workers].map((running) => running.stop(1_000)));
      await platform.close();
      await host.remove();
      await database.drop();
    },
  };
}

function listening(platform: Platform, host: SandboxHost): Promise<RunningApi> {
  const local = { provider: 'local', env: {}, labels: {} } as const;
  return startApi(platform, log, {
    bindings: [{ host: '127.0.0.1', port: 0 }],
    defaults: { model: null, environment: 'default', environments: { default: local }, providers: ['local'] },
    webUrl: null,
    storageDirectory: host.stateDirectory,
    drawing: drawingFromSource(),
  });
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
