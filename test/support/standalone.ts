import { homeOf, readServerRecord, readToken, type Home } from '#libs/config';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiCaller } from './api-caller.js';
import { TestProcess } from './processes.js';

const run = promisify(execFile);

/** The programs of a build. */
export interface Build {
  /** The program of the standalone server. */
  readonly program: string;
  /** Where the compiled files lie. */
  readonly dist: string;
  /** The program of an app. */
  main(app: 'api' | 'cli' | 'worker'): string;
}

/** The build that all spec files share, of the sources as they are now. */
export function testBuild(): Build {
  const folder = process.env.TEST_BUILD;
  if (!folder) throw new Error('No build: add test/support/build-setup.js to this Jest project.');
  return buildIn(folder);
}

export function buildIn(folder: string): Build {
  return {
    program: join(folder, 'dist/apps/standalone/src/main.js'),
    dist: join(folder, 'dist'),
    main: (app) => join(folder, `dist/apps/${app}/src/main.js`),
  };
}

/** A home for standalone servers, which the system user of an embedded PostgreSQL can reach. */
export interface ServerHome {
  readonly home: Home;
  /** Where commands work. */
  readonly directory: string;
  /** Starts a server; it may not come up. */
  start(program: string, flags?: readonly string[], env?: NodeJS.ProcessEnv): TestProcess;
  /** Starts a server and waits until it serves; the caller signs in with what the local client knows. */
  serving(program: string, env?: NodeJS.ProcessEnv): Promise<{ server: TestProcess; caller: ApiCaller }>;
  /** Every process that works for this home, with its whole session. */
  processes(): Promise<string[]>;
  /** Ends whatever is left, and removes the home. */
  remove(): Promise<void>;
}

export async function serverHome(name = 'home'): Promise<ServerHome> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-home-'));
  const home = homeOf({ RUNYARD_HOME: join(folder, name) });
  const directory = join(folder, 'work');
  await run('chmod', ['755', folder]);
  for (const made of [home.directory, directory]) await mkdir(made, { mode: 0o755 });
  const started: TestProcess[] = [];
  const start = (program: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): TestProcess => {
    const surroundings = { ...cleanEnvironment(), RUNYARD_HOME: home.directory, ...env };
    const server = TestProcess.start([program, ...flags], surroundings);
    started.push(server);
    return server;
  };
  return {
    home,
    directory,
    start,
    async serving(program, env) {
      const server = start(program, [], env);
      await server.says('Runyard is ready.', 60_000);
      const record = (await readServerRecord(home))!;
      const token = (await readToken(home, record.url))!;
      return { server, caller: new ApiCaller(record.url, token, directory) };
    },
    processes: async () => (await processesOf(folder)).map(({ line }) => line),
    async remove() {
      await Promise.all(started.map((server) => server.kill()));
      for (const { pid } of await processesOf(folder)) endQuietly(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Nothing of the surroundings says where the database is. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, RUNYARD_WEB_PORT: '0', RUNYARD_LOG: 'warn' };
}

/** Processes that name the folder, and whoever shares a session with one that does: a server's own children do not. */
async function processesOf(folder: string): Promise<{ pid: number; line: string }[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,sid=,stat=,args=']);
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, session, state, args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state!.startsWith('Z') ? [] : [{ pid: Number(pid), session, line: `${pid} ${args}` }];
  });
  const sessions = new Set(all.filter(({ line }) => line.includes(folder)).map(({ session }) => session));
  return all.filter(
    ({ session, line }) => line.includes(folder) || (session !== ownSession(all) && sessions.has(session)),
  );
}

function ownSession(all: readonly { pid: number; session: string | undefined }[]): string | undefined {
  return all.find(({ pid }) => pid === process.pid)?.session;
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
