import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { RunyardError } from '#libs/kernel';
import { emptyBeside, hasDatabase, holdsCluster, putInPlace } from './data-directory.js';
import {
  CREATE_DATABASE,
  DATABASE,
  HAND_OVER,
  keepSecret,
  makeSecret,
  readSecret,
  ROLE,
  roleStatements,
  writeHostRules,
} from './postgres-access.js';
import { postgresBinaries } from './postgres-binaries.js';
import { postgresPlace, type PostgresPlace } from './postgres-place.js';
import { postmasterOf, tryKill, type Postmaster } from './postmaster.js';
import { isPrivate, makeSocketFolder, removeSocketFolder } from './private-folder.js';

const SUPERUSER = 'postgres';
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;
/** Refusals of an identity: the wrong password, no such role, or no rule that lets it in. */
const REFUSED = /^28/;

/** Whether a server lets its own role in, refuses it, or says nothing of use yet. */
type Reply = 'ready' | 'refused' | 'silent';
type HasEnded = () => boolean | Promise<boolean>;

export class EmbeddedPostgresError extends RunyardError {
  override readonly code = 'embedded_postgres_failed';
  readonly kind = 'unavailable';
}

/**
 * A PostgreSQL of this server's own: data in the home, a socket that only its owner reaches, no network, and one role
 * that signs in with a password and is no superuser. It runs in a session of its own, so it survives a server that is
 * killed, and the next server adopts it.
 */
export class EmbeddedPostgres {
  private secret = '';
  private socketDirectory = '';

  private constructor(
    private readonly place: PostgresPlace,
    private readonly logFile: string,
  ) {}

  /**
   * Adopts the PostgreSQL that runs on this directory, or makes and starts one. A server, or a cluster, that does not
   * know the role or its password gets both first. Rejects with the log's last words, and by name where the folder of
   * the socket is not private.
   */
  static async start(dataDirectory: string, logFile: string): Promise<EmbeddedPostgres> {
    const server = new EmbeddedPostgres(await postgresPlace(dataDirectory, await postgresBinaries()), logFile);
    await server.prepare();
    if ((await server.open()) === 'refused') {
      await server.stop();
      await server.setUp();
      if ((await server.open()) === 'refused') throw new EmbeddedPostgresError('PostgreSQL refuses its own role.');
    }
    return server;
  }

  get connectionString(): string {
    const host = encodeURIComponent(this.socketDirectory);
    return `postgresql://${ROLE}:${this.secret}@localhost/${DATABASE}?host=${host}`;
  }

  /** Ends every session and shuts down; resolves when the process is gone. */
  async stop(): Promise<void> {
    const running = await postmasterOf(this.place.dataDirectory);
    if (running && !(await endsBy(running, 'SIGINT'))) tryKill(running.pid, 'SIGQUIT');
    if (running) await removeSocketFolder(running.socketDirectory, this.place.dataDirectory);
  }

  /** A cluster whose role has a password. A server of before that does not go on. */
  private async prepare(): Promise<void> {
    const { dataDirectory } = this.place;
    const secret = await readSecret(dataDirectory);
    if (!(await holdsCluster(dataDirectory))) return this.initialise();
    if (secret !== undefined) return void (this.secret = secret);
    await this.stop();
    await this.setUp();
  }

  /** Beside its place, where it comes as a whole: one that was stopped in the middle is never started. */
  private async initialise(): Promise<void> {
    const { binaries, dataDirectory, owner } = this.place;
    const unfinished = await emptyBeside(dataDirectory, owner);
    const args = ['-D', unfinished, '-U', SUPERUSER, '--auth=reject', '--encoding=UTF8', '--no-locale'];
    const code = await ended(this.spawn(binaries.initdb, [...args, '--no-instructions']));
    if (code !== 0) throw new EmbeddedPostgresError(`initdb ended with ${code}.\n${await this.lastWords()}`);
    await this.setUp(unfinished);
    await putInPlace(unfinished, dataDirectory);
  }

  /** Gives the role of a cluster that no server runs on a new password, and its database to it. */
  private async setUp(directory = this.place.dataDirectory): Promise<void> {
    this.secret = makeSecret();
    if (await hasDatabase(directory)) {
      await this.asSuperuser(directory, SUPERUSER, roleStatements(this.secret));
      await this.asSuperuser(directory, DATABASE, HAND_OVER);
    } else {
      await this.asSuperuser(directory, SUPERUSER, [...roleStatements(this.secret), CREATE_DATABASE]);
    }
    await keepSecret(this.place.dataDirectory, this.secret);
  }

  /** In PostgreSQL's own mode for one user, which knows no network, no socket and no password. */
  private async asSuperuser(directory: string, database: string, statements: readonly string[]): Promise<void> {
    const args = ['--single', '-j', '-D', directory, '-c', 'exit_on_error=on', '-c', 'log_statement=none', database];
    const session = this.spawn(this.place.binaries.postgres, args, 'pipe');
    session.stdin!.on('error', () => undefined); // A session that ended before says so by its code.
    session.stdin!.end(statements.map((statement) => `${statement};\n\n`).join(''));
    const code = await ended(session);
    if (code === 0) return;
    throw new EmbeddedPostgresError(
      `PostgreSQL could not be set up: it ended with ${code}.\n${await this.lastWords()}`,
    );
  }

  /**
   * The server that runs on the data directory, or a new one. Right after a kill the old server's children may still hold
   * its memory; then a start is refused and tried again.
   */
  private async open(): Promise<Reply> {
    for (const deadline = Date.now() + START_WITHIN_MS; Date.now() < deadline; await sleep(250)) {
      const hasEnded = (await this.adopt()) ?? (await this.launch());
      while (!(await hasEnded()) && Date.now() < deadline) {
        const reply = await this.reply();
        if (reply !== 'silent') return reply;
        await sleep(20);
      }
      await removeSocketFolder(this.socketDirectory, this.place.dataDirectory);
    }
    throw new EmbeddedPostgresError(`PostgreSQL did not start.\n${await this.lastWords()}`);
  }

  /**
   * Goes on with the server that runs here, if one does; tells when it has ended. Where its socket is says its own record
   * in the data directory. One whose socket is gone is stopped: nobody can reach it any more.
   */
  private async adopt(): Promise<HasEnded | undefined> {
    const { dataDirectory, owner } = this.place;
    const running = await postmasterOf(dataDirectory);
    if (!running?.socketDirectory) return undefined;
    if (!(await isPrivate(running.socketDirectory, owner))) return void (await this.stop());
    this.socketDirectory = running.socketDirectory;
    return async () => (await postmasterOf(dataDirectory)) === undefined;
  }

  /** Tells when the server has ended. */
  private async launch(): Promise<HasEnded> {
    const { dataDirectory, owner } = this.place;
    await writeHostRules(dataDirectory);
    this.socketDirectory = await makeSocketFolder(dataDirectory, owner);
    const server = this.spawn(this.place.binaries.postgres, this.arguments());
    server.unref();
    let exited = false;
    server.once('exit', () => (exited = true));
    return () => exited;
  }

  private arguments(): string[] {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.socketDirectory}`,
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

  private spawn(program: string, args: string[], input: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
    mkdirSync(path.dirname(this.logFile), { recursive: true, mode: 0o700 });
    const log = openSync(this.logFile, 'a', 0o600);
    const { owner } = this.place;
    const stdio: StdioOptions = [input, log, log];
    try {
      return spawn(program, args, {
        detached: true,
        cwd: '/',
        stdio,
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
        ...(owner && { uid: owner.uid, gid: owner.gid }),
      });
    } finally {
      closeSync(log);
    }
  }

  private async reply(): Promise<Reply> {
    const client = new pg.Client({ connectionString: this.connectionString, connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      return 'ready';
    } catch (thrown) {
      return REFUSED.test((thrown as { code?: string }).code ?? '') ? 'refused' : 'silent';
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private async lastWords(): Promise<string> {
    const log = await readFile(this.logFile, 'utf8').catch(() => '');
    return log.trimEnd().split('\n').slice(-8).join('\n');
  }
}

/** Whether the signal ends the server in time. */
async function endsBy({ pid }: Postmaster, signal: NodeJS.Signals): Promise<boolean> {
  tryKill(pid, signal);
  for (const deadline = Date.now() + STOP_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    if (!tryKill(pid, 0)) return true;
  }
  return false;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
