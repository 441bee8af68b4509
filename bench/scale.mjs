// What one machine carries with an API process and workers beside it, on PostgreSQL alone and with Redis, with one, two
// and four workers: S1 and S4 at concurrency 32, commands at 8, S6; and what each process then holds in memory. The
// ratios are to the standalone server, measured in turns. `node bench/scale.mjs [rounds]`
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './support/resident.mjs';
import { chain, clientOf, fork, startStack } from './support/stack.mjs';
import { closedLoop, median, print, round } from './support/stats.mjs';

const rounds = Number(process.argv[2] ?? 3);
const DIST = new URL('../dist/apps/', import.meta.url).pathname;
const STEPS = chain(10, 'shape=diamond');
const COMMANDS = chain(5, 'shape=parallelogram, script="true"');
const BRANCHES = fork(1_000, 'shape=diamond');
const LIMITS = {
  RUNYARD_LOG: 'error',
  RUNYARD_SERVER_MAX_CONCURRENT_RUNS: '64',
  RUNYARD_WORKER_SLOTS: '64',
  RUNYARD_STREAMS_PER_TOKEN: '10000',
};

const standalone = await startStack();
const admin = standalone.database();
const measured = { standalone: [] };
await measure(standalone);
for (let i = 0; i < rounds; i++) {
  measured.standalone.push(await measure(standalone));
  for (const redis of [false, true])
    for (const workers of [1, 2, 4]) {
      const name = `${workers} worker${workers === 1 ? '' : 's'}${redis ? ', Redis' : ''}`;
      const cluster = await startCluster(workers, redis);
      await measure(cluster);
      (measured[name] ??= []).push({ ...(await measure(cluster)), ...(await cluster.memory()) });
      await cluster.stop();
    }
}
await admin.end();
await standalone.stop();

const rows = Object.fromEntries(
  Object.entries(measured).map(([name, list]) => [
    name,
    Object.fromEntries(Object.keys(list[0]).map((key) => [key, round(median(list.map((one) => one[key])), 0)])),
  ]),
);
print(
  `API and workers on one machine (medians of ${rounds} rounds)`,
  rows,
  Object.entries(rows)
    .slice(1)
    .map(([name, row]) => `${name}: ${round(row['steps/s'] / rows.standalone['steps/s'])} of the standalone's steps/s`),
);

async function measure({ run, create }) {
  const steps = await closedLoop(320, 32, () => run(STEPS));
  const commands = await closedLoop(64, 8, () => run(COMMANDS));
  const creations = await closedLoop(1_000, 32, () => create(STEPS));
  const branches = await closedLoop(3, 1, () => run(BRANCHES));
  return {
    'steps/s': steps.perSecond * 10,
    'p50 ms': steps.p50,
    'p99 ms': steps.p99,
    'commands/s': commands.perSecond * 5,
    'creations/s': creations.perSecond,
    '1,000 branches ms': branches.p50,
  };
}

/** Processes of their own on a fresh database of the same PostgreSQL. */
async function startCluster(count, withRedis) {
  const home = await mkdtemp(path.join(os.tmpdir(), 'runyard-scale-'));
  const name = `scale_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const database = new URL(admin.options.connectionString);
  database.pathname = `/${name}`;
  const token = `service_dev_${randomBytes(32).toString('hex')}`;
  const [port, redisPort] = [await freePort(), await freePort()];
  const started = [];
  const start = (file, args, env = {}) => {
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    started.unshift(child);
    return child;
  };
  if (withRedis) start('redis-server', ['--port', redisPort, '--dir', home, '--appendonly', 'yes', '--save', '']);
  const env = {
    ...LIMITS,
    RUNYARD_HOME: home,
    DATABASE_URL: database.href,
    RUNYARD_DEV_TOKEN: token,
    ...(withRedis && { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
  };
  if (withRedis) await sleep(1_000);
  const client = clientOf(`http://127.0.0.1:${port}`, token);
  const api = start(process.execPath, [`${DIST}api/src/main.js`], { ...env, RUNYARD_BIND: `127.0.0.1:${port}` });
  await answering(client);
  const workers = Array.from({ length: count }, () => start(process.execPath, [`${DIST}worker/src/main.js`], env));
  await sleep(4_000);
  return {
    ...client,
    memory: async () => ({
      'API MiB': await residentMb(api.pid),
      'worker MiB': median(await Promise.all(workers.map(({ pid }) => residentMb(pid)))),
    }),
    async stop() {
      client.close();
      for (const child of started) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function answering(client) {
  for (let tries = 0; tries < 100; tries++) {
    if (await client.request('GET', '/api/v1/runs').catch(() => undefined)) return;
    await sleep(200);
  }
  throw new Error('The API does not answer.');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
