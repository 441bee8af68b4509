import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { createLogger, openPlatform, type Platform } from '#libs/server-runtime';
import { startWorker } from '../../apps/worker/src/index.js';
import { Worker } from '../../apps/worker/src/claim/worker.js';
import { FIRST_SETTINGS, homeOf, parseSettings, serverConfig } from '#libs/config';
import { Slots, WorkerPresence } from '#libs/persistence';
import type { TestDatabase } from '../support/embedded-postgres.js';
import { sandboxHost, type SandboxHost } from '../support/local-sandbox.js';
import { MIGRATIONS, migratedDatabase } from '../support/migrated-database.js';
import { until } from '../support/until.js';

const log = createLogger('silent', 'test');
const fault = new RangeError('This step fails.');

let place: TestDatabase;
let host: SandboxHost;
let client: pg.Client;
beforeAll(async () => {
  place = await migratedDatabase();
  host = await sandboxHost();
  client = new pg.Client({ connectionString: place.connectionString });
  await client.connect();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await client.end();
  await host.remove();
  await place.drop();
});

/** Who is connected to the database, beside this spec. */
async function connected(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  return rows.map(({ name }) => name);
}

const nobodyIsConnected = () =>
  until(async () => (await connected()).length === 0, 'every connection is closed', 5_000);

/** What keeps a process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

function open(migrations = MIGRATIONS): Promise<Platform> {
  const home = homeOf({ RUNYARD_HOME: `${host.stateDirectory}/home` });
  const environment = { RUNYARD_SERVER_MAX_CONCURRENT_RUNS: '5' };
  const config = serverConfig(home, parseSettings(FIRST_SETTINGS, 'test'), environment);
  return openPlatform({
    config,
    databaseUrl: place.connectionString,
    service: 'leaky',
    maxConnections: 4,
    log,
    migrations,
  });
}

describe('a platform that cannot be opened', () => {
  it.each([
    [
      'the partitions cannot be made',
      () => client.query('ALTER FUNCTION ensure_event_partition RENAME TO hidden'),
      () => client.query('ALTER FUNCTION hidden RENAME TO ensure_event_partition'),
    ],
    [
      'the limit cannot be set',
      async () =>
        void jest.spyOn(Slots.prototype, 'setLimit').mockImplementation(async () => {
          await until(async () => (await connected()).length >= 2, 'the notices are connected', 5_000);
          throw fault;
        }),
      async () => undefined,
    ],
  ])('leaves nothing open: %s', async (_, breakIt, mendIt) => {
    const before = timers();
    await breakIt();
    await expect(open()).rejects.toThrow();
    await mendIt();
    await nobodyIsConnected();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('leaves nothing open when it is opened and closed', async () => {
    const before = timers();
    const platform = await open();
    platform.upkeep.start();
    await until(async () => (await connected()).length >= 2, 'it is connected', 5_000);
    await platform.close();
    await nobodyIsConnected();
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('a worker that cannot be started', () => {
  const setup = () => ({
    slots: 2,
    sandboxDirectory: host.stateDirectory,
    apiAddress: null,
    sandboxes: [host.provider()],
  });

  it.each([
    ['it cannot announce itself', () => void jest.spyOn(WorkerPresence.prototype, 'announce').mockRejectedValue(fault)],
    [
      'the queue cannot be heard',
      (platform: Platform) => void jest.spyOn(platform.bell, 'listen').mockRejectedValue(fault),
    ],
    ['it cannot begin', () => void jest.spyOn(Worker.prototype, 'start').mockRejectedValue(fault)],
  ])('leaves nothing open: %s', async (_, breakIt) => {
    const platform = await open();
    await until(async () => (await connected()).length >= 2, 'the platform is connected', 5_000);
    const [before, names] = [timers(), new Set(await connected())];
    breakIt(platform);
    const provider = host.provider();
    const closed = jest.spyOn(provider, 'close');
    await expect(startWorker(platform, log, { ...setup(), sandboxes: [provider] })).rejects.toBe(fault);
    await until(async () => (await connected()).every((name) => names.has(name)), 'the worker is gone', 5_000);
    expect(timers()).toBeLessThanOrEqual(before);
    expect(closed).toHaveBeenCalledTimes(1);
    const { rows } = await client.query('SELECT FROM workers');
    expect(rows).toEqual([]);
    await platform.close();
    await nobodyIsConnected();
  });
});
