import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf, RunyardError } from '#libs/kernel';
import { emptyBeside, holdsCluster, putInPlace } from './data-directory.js';
import { postgresBinaries } from './postgres-binaries.js';
import { postgresPlace, type PostgresPlace } from './postgres-place.js';

const USER = 'postgres';
const DATABASE = 'runyard';
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;

export class EmbeddedPostgresError extends RunyardError {
  override readonly code = 'embedded_postgres_failed';
  readonly kind = 'unavailable';
}

/**
 * A PostgreSQL of this server's own: data in the home, a socket that only its owner reaches, no network. It runs in a
 * session of its own, so it survives a server that is killed, and the next server adopts it.
 */
export class EmbeddedPostgres {
  private constructor(
    private readonly place: PostgresPlace,
    private readonly logFile: string,
  ) {}

  /** Adopts the PostgreSQL that already serves this directory, or makes and starts one. Rejects with the log's last words. */
  static async start(dataDirectory: string, logFile: string): Promise<EmbeddedPostgres> {
    const place = await postgresPlace(dataDirectory, await postgresBinaries());
    const server = new EmbeddedPostgres(place, logFile);
    if (!(await server.answers())) {
      if (!(await holdsCluster(place.dataDirectory))) await server.initialise();
      await server.launch();
    }
    await server.ensureDatabase();
    return server;
  }

  get connectionString(): string {
    return this.urlOf(DATABASE);
  }

  /** Ends every session and shuts down; resolves when the process is gone. */
  async stop(): Promise<void> {
    const pid = await this.pid();
    if (pid === undefined) return;
    const signal = (name: NodeJS.Signals): void => void tryKill(pid, name);
    signal('SIGINT');
    for (const deadline = Date.now() + STOP_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
      if (!tryKill(pid, 0)) return;
    }
    signal('SIGQUIT');
  }

  /** Beside its place, where it comes as a whole: one that was stopped in the middle is never started. */
  private async initialise(): Promise<void> {
    const { binaries, dataDirectory, owner } = this.place;
    const unfinished = await emptyBeside(dataDirectory, owner);
    const args = ['-D', unfinished, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-instructions'];
    const code = await ended(this.spawn(binaries.initdb, args));
    if (code !== 0) throw new EmbeddedPostgresError(`initdb ended with ${code}.\n${await this.lastWords()}`);
    await putInPlace(unfinished, dataDirectory);
  }

  /** Right after a kill the old server's children may still hold its memory; then a start is refused and tried again. */
  private async launch(): Promise<void> {
    for (const deadline = Date.now() + START_WITHIN_MS; ; await sleep(250)) {
      const server = this.spawn(this.place.binaries.postgres, this.arguments());
      server.unref();
      let exited = false;
      server.once('exit', () => (exited = true));
      while (!exited && Date.now() < deadline) {
        if (await this.answers()) return;
        await sleep(20);
      }
      if (Date.now() >= deadline)
        throw new EmbeddedPostgresError(`PostgreSQL did not start.\n${await this.lastWords()}`);
    }
  }

  private arguments(): string[] {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.place.socketDirectory}`,
      'unix_socket_permissions=0700',
      'max_connections=100',
      'shared_buffers=128MB',
      'jit=off',
      'timezone=UTC',
      'log_timezone=UTC',
      'log_checkpoints=off',
    ];
    return ['-D', this.place.dataDirectory, ...settings.flatMap((setting) => ['-c', setting])];
  }

  private spawn(program: string, args: string[]): ChildProcess {
    mkdirSync(path.dirname(this.logFile), { recursive: true });
    const log = openSync(this.logFile, 'a', 0o600);
    const { owner } = this.place;
    return spawn(program, args, {
      detached: true,
      cwd: '/',
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    });
  }

  private async answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.urlOf('postgres'), connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async ensureDatabase(): Promise<void> {
    const client = new pg.Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    } catch (cause) {
      throw new EmbeddedPostgresError(`The database could not be made: ${messageOf(cause)}`, { cause });
    } finally {
      await client.end();
    }
  }

  private urlOf(database: string): string {
    return `postgresql://${USER}@localhost/${database}?host=${encodeURIComponent(this.place.socketDirectory)}`;
  }

  private async pid(): Promise<number | undefined> {
    const file = await readFile(path.join(this.place.dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(file.split('\n')[0]);
    return pid > 0 ? pid : undefined;
  }

  private async lastWords(): Promise<string> {
    const log = await readFile(this.logFile, 'utf8').catch(() => '');
    return log.trimEnd().split('\n').slice(-8).join('\n');
  }
}

function tryKill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
