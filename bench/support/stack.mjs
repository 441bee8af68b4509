import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const MAIN = process.env.RUNYARD_PROGRAM ?? new URL('../../dist/apps/standalone/src/main.js', import.meta.url).pathname;

/** The embedded server in a process and a home of its own, as `npm start` runs it. */
export async function startStack(env = {}) {
  const home = await mkdtemp(path.join(os.tmpdir(), 'runyard-bench-'));
  const began = performance.now();
  const server = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      RUNYARD_HOME: home,
      RUNYARD_WEB_PORT: '0',
      RUNYARD_LOG: 'error',
      RUNYARD_SERVER_MAX_CONCURRENT_RUNS: '64',
      RUNYARD_WORKER_SLOTS: '64',
      RUNYARD_STREAMS_PER_TOKEN: '10000',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const record = await readJson(path.join(home, 'storage', 'server.json'), server);
  const bootMs = performance.now() - began;
  const {
    [record.address]: { token },
  } = await readJson(path.join(home, 'credentials.json'), server);
  const client = clientOf(record.url, token);
  return {
    ...client,
    home,
    pid: server.pid,
    bootMs,
    /** A pool on the embedded PostgreSQL. */
    database: () => new pg.Pool({ connectionString: record.database_url, max: 8 }),
    async stop() {
      client.close();
      server.kill('SIGTERM');
      await new Promise((resolve) => server.once('exit', resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** What the drivers ask of a server. */
export function clientOf(url, token) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
  const request = (method, target, body) => call(agent, url, token, method, target, body);
  const create = async (source) => (await request('POST', '/api/v1/runs', manifest(source))).id;
  const start = (id) => request('POST', `/api/v1/runs/${id}/start`, {});
  const follow = (id, onData) => attach(url, token, id, onData);
  /** Creates and starts a run, and resolves at its end. */
  const run = async (source) => {
    const id = await create(source);
    const ended = follow(id);
    await start(id);
    await ended;
    return id;
  };
  return { url, token, request, create, start, run, attach: follow, close: () => agent.destroy() };
}

export const manifest = (source) => ({
  version: 1,
  cwd: process.cwd(),
  target: { identifier: 'bench.dot', path: 'bench.dot' },
  workflows: { 'bench.dot': { source } },
});

/** A chain of `n` nodes between start and exit. */
export function chain(n, attributes) {
  const ids = Array.from({ length: n }, (_, i) => `s${i}`);
  return `digraph Bench {\n  start [shape=Mdiamond]\n  exit [shape=Msquare]\n${ids.map((id) => `  ${id} [${attributes}]`).join('\n')}\n  start -> ${ids.join(' -> ')} -> exit\n}\n`;
}

/** `n` nodes side by side between a fork and a join. */
export function fork(n, attributes) {
  const ids = Array.from({ length: n }, (_, i) => `b${i}`);
  return `digraph Fork {
  start [shape=Mdiamond] exit [shape=Msquare] fork [shape=component, max_parallel=${n}] join [shape=tripleoctagon]
${ids.map((id) => `  ${id} [${attributes}]\n  fork -> ${id} -> join`).join('\n')}
  start -> fork join -> exit
}\n`;
}

function call(agent, base, token, method, target, body) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const request = http.request(new URL(target, base), { method, agent, headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part) => (answer += part));
      response.on('end', () =>
        response.statusCode < 300
          ? resolve(answer && JSON.parse(answer))
          : reject(new Error(`${response.statusCode} ${answer}`)),
      );
    });
    request.on('error', reject);
    request.end(text);
  });
}

/** Follows a run to its terminal event. */
/** Resolves at the event that ends the run. The server then ends the stream, and the next one has its connection. */
function attach(base, token, id, onData = () => {}) {
  return new Promise((resolve, reject) => {
    const request = http.get(
      new URL(`/api/v1/runs/${id}/attach`, base),
      { headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let tail = '';
        let end = null;
        response.setEncoding('utf8').on('data', (part) => {
          if (end) return;
          onData(part);
          tail = (tail + part).slice(-65_536);
          end = /"event":"run\.(completed|failed)"/.exec(tail);
          if (end?.[1] === 'completed') resolve();
          else if (end) reject(new Error(`run ${id} failed: ${tail.slice(-600)}`));
        });
        response.on('end', () => reject(new Error('the stream ended early')));
      },
    );
    request.on('error', reject);
  });
}

async function readJson(file, server) {
  for (let tries = 0; tries < 600; tries++) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text) return JSON.parse(text);
    if (server.exitCode !== null) throw new Error('the server ended');
    await sleep(50);
  }
  throw new Error(`no ${file}`);
}
