import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './postgres-server.js';

export interface RedisServer {
  readonly url: string;
  /** Starts it again on the same port, with what its append-only file kept. */
  start(): Promise<void>;
  /** SIGKILL: connections break at once. */
  kill(): Promise<void>;
  /** Undefined while it does not live. */
  readonly pid: number | undefined;
  /** It keeps its connections and answers nobody, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

const binary = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);

export function redisAvailable(): boolean {
  return binary !== undefined;
}

/** A private Redis on a free loopback port, durable and never evicting unless `settings` say otherwise. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  if (!binary) throw new Error('No redis-server or valkey-server on the PATH.');
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'runyard-test-redis-'));
  const base = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const flags = [...base, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', ...settings];
  let server: ChildProcess | undefined;

  const start = async () => {
    server = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
    await untilReady(server);
  };
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    get pid() {
      return server?.exitCode === null && server.signalCode === null ? server.pid : undefined;
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      if (/ready to accept connections/i.test((output += chunk.toString()))) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`The test Redis does not start: ${output}`)));
  });
}
