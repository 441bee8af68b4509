import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import S3rver from 's3rver';
import type { TestDatabase } from '../support/embedded-postgres.js';
import { migratedDatabase } from '../support/migrated-database.js';
import { TestProcess } from '../support/processes.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { startRedis } from '../support/redis-server.js';
import { testBuild } from '../support/standalone.js';

const build = testBuild();
let database: TestDatabase;
let folder: string;
const started: TestProcess[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  folder = await mkdtemp(join(tmpdir(), 'runyard-boot-'));
});
afterAll(async () => {
  await Promise.all(started.map((server) => server.kill()));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A server process that knows nothing of its surroundings but this. */
function start(program: string, env: NodeJS.ProcessEnv): TestProcess {
  const server = TestProcess.start([program], {
    PATH: process.env.PATH,
    RUNYARD_HOME: join(folder, 'home'),
    RUNYARD_BIND: '127.0.0.1:0',
    RUNYARD_LOG: 'info',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    DATABASE_URL: database.connectionString,
    ...env,
  });
  started.push(server);
  return server;
}

/** Test servers run without fsync, which each process warns of. */
const isWarning = (line: string): boolean => line.includes('"level":40');

/** Its one line besides warnings, of a process that ends with 1 and has begun nothing. */
async function refusal(env: NodeJS.ProcessEnv, program = build.main('worker')): Promise<string> {
  const server = start(program, env);
  expect(await server.gone(20_000)).toBe(1);
  expect(server.output).not.toMatch(/is ready|API listens/);
  const lines = server.output.trimEnd().split('\n');
  const [line, ...more] = lines.filter((text) => !isWarning(text));
  expect(more).toEqual([]);
  return line!;
}

async function onDatabase(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('a server process refuses by name', () => {
  const elsewhere = (change: (url: URL) => void): NodeJS.ProcessEnv => {
    const url = new URL(database.connectionString);
    change(url);
    return { DATABASE_URL: url.href };
  };

  it.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
    ['no database', () => ({ DATABASE_URL: '' }), /^DATABASE_URL is not set/],
    ['a database where nobody is', () => elsewhere((url) => (url.port = '1')), /:1 .*ECONNREFUSED.* Start PostgreSQL/],
    [
      'a host that does not exist',
      () => elsewhere((url) => (url.hostname = 'a.invalid')),
      /a\.invalid:.* Check the host/,
    ],
    ['a wrong password', () => elsewhere((url) => (url.password = 'secret')), /authentication failed.* the password/],
    ['a database that was not made', () => elsewhere((url) => (url.pathname = '/nope')), /"nope" does not exist/],
    ['a number of slots that is none', () => ({ RUNYARD_WORKER_SLOTS: '0' }), /^RUNYARD_WORKER_SLOTS is "0"/],
  ])('%s', async (_what, env, message) => {
    const line = await refusal(env());
    expect(line).toMatch(message);
    expect(line).not.toContain('secret');
  });

  it('a port that somebody has', async () => {
    const first = start(build.main('api'), { RUNYARD_BIND: '127.0.0.1:0' });
    await first.says('The API listens.');
    const port = /127\.0\.0\.1:(\d+)/.exec(first.output)![1]!;
    const line = await refusal({ RUNYARD_BIND: `127.0.0.1:${port}` }, build.main('api'));
    expect(line).toBe(`The server cannot listen: EADDRINUSE: address already in use 127.0.0.1:${port}.`);
    await first.kill();
  });

  it('a database from which a newer version took something away', async () => {
    await onDatabase(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('newer', 'x', '9999_contract_runs', now())`);
    expect(await refusal({})).toMatch(/"9999_contract_runs", with which a newer version took away what this one needs/);
    await onDatabase(`DELETE FROM _prisma_migrations WHERE id = 'newer'`);
  });

  it('a database that cannot be written to, or whose owner may not use it', async () => {
    const name = `boot_${process.pid}`;
    await onDatabase(`CREATE ROLE ${name} LOGIN PASSWORD 'p'`);
    await onDatabase(`CREATE DATABASE ${name} OWNER ${name}`);
    const own = elsewhere((url) => Object.assign(url, { username: name, password: 'p', pathname: name }));
    const foreign = elsewhere((url) => Object.assign(url, { username: name, password: 'p' }));
    try {
      expect(await refusal(foreign)).toMatch(/permission denied for .*\. Let DATABASE_URL name the owner/);
      expect(await refusal(own)).toMatch(new RegExp(`GRANT runyard_app TO ${name}$`));
      await onDatabase(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      expect(await refusal(own)).toMatch(/read-only transaction\. Let DATABASE_URL name the primary/);
    } finally {
      await onDatabase(`DROP DATABASE ${name} WITH (FORCE)`);
      await onDatabase(`DROP ROLE ${name}`);
    }
  });

  it('a directory for sandboxes that is a file', async () => {
    const home = join(folder, 'odd');
    await mkdir(join(home, 'storage'), { recursive: true });
    await writeFile(join(home, 'storage', 'sandboxes'), '');
    expect(await refusal({ RUNYARD_HOME: home })).toContain(
      `for sandboxes ${home}/storage/sandboxes cannot be written to`,
    );
  });
});

describe('a place for objects', () => {
  const bucket = 'runyard';
  let store: S3rver;
  let settings: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const directory = join(folder, 's3');
    store = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: bucket }],
    });
    const { port } = await store.run();
    const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    settings = { S3_BUCKET: bucket, S3_ENDPOINT: `http://127.0.0.1:${port}`, ...credentials };
  });
  afterAll(() => store.close());

  it('is taken when it keeps what is put into it', async () => {
    const worker = start(build.main('worker'), settings);
    await worker.says('The worker is ready.');
    await worker.kill();
  });

  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['a bucket that does not exist', { S3_BUCKET: 'missing' }, /the bucket "missing" at http:.* NoSuchBucket/],
    ['a key that nobody has', { AWS_ACCESS_KEY_ID: 'me' }, /the bucket "runyard" at http:.* InvalidAccessKeyId/],
    ['no credentials', { AWS_ACCESS_KEY_ID: undefined, HOME: '/nowhere' }, /Could not load credentials/],
    ['a prefix that is no path', { S3_PREFIX: '../up' }, /"\.\.\/up.*" is not a key/],
  ])('is refused by name with %s', async (_what, change, message) => {
    expect(await refusal({ ...settings, ...change }, build.main('api'))).toMatch(message);
  });

  it('is only warned of when nobody is there, because it may come back', async () => {
    const worker = start(build.main('worker'), { ...settings, S3_ENDPOINT: 'http://127.0.0.1:1' });
    await worker.says('The worker is ready.');
    expect(worker.output).toContain('The object store cannot be reached');
    await worker.kill();
  });
});

describeWithRedis('a Redis', () => {
  it.each<[string, string[], RegExp]>([
    [
      'evicts keys',
      ['--maxmemory-policy', 'volatile-lru'],
      /maxmemory-policy is volatile-lru\. Set "maxmemory-policy noev/,
    ],
  ])('that %s is refused by name', async (_what, flags, message) => {
    const redis = await startRedis(flags);
    try {
      expect(await refusal({ REDIS_URL: redis.url })).toMatch(message);
    } finally {
      await redis.remove();
    }
  });

  it('that is away is only warned of, because runs go on without it', async () => {
    const worker = start(build.main('worker'), { REDIS_URL: 'redis://127.0.0.1:1' });
    await worker.says('The worker is ready.');
    expect(worker.output).toContain('Redis cannot be reached, so its settings are not checked');
    await worker.kill();
  });
});

/** Mounting a file system takes a right that few have. */
function mount(directory: string, options: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0;
}
const unmount = (directory: string): void => void spawnSync('umount', [directory]);
const mayMount = ((): boolean => {
  const directory = mkdtempSync(join(tmpdir(), 'runyard-mount-'));
  const mounted = mount(directory, 'size=1m');
  if (mounted) unmount(directory);
  rmdirSync(directory);
  return mounted;
})();

(mayMount ? describe : describe.skip)('a disk', () => {
  it.each([
    ['full', 'size=64k', 'ENOSPC'],
    ['read-only', 'ro', ''],
  ])('that is %s is refused by name, by every kind of server', async (kind, options, code) => {
    const disk = join(folder, kind);
    await mkdir(disk);
    mount(disk, options);
    try {
      if (kind === 'full') await writeFile(join(disk, 'fill'), Buffer.alloc(64 * 1024)).catch(() => undefined);
      const env = { RUNYARD_HOME: join(disk, 'home') };
      expect(await refusal(env)).toMatch(new RegExp(`^Objects cannot be kept in ${disk}/home.*${code}`));
      expect(await refusal(env, build.program)).toMatch(
        new RegExp(`^The state directory ${disk}/home cannot be written to: .*${code}`),
      );
    } finally {
      unmount(disk);
    }
  });
});
