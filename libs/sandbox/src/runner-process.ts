import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SandboxUnavailableError } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { processStart } from './runner/processes.js';
import { RunnerConnection } from './runner-connection.js';

/** The shortest limit of the systems we run on, for the path of a Unix socket. */
const MAX_SOCKET_PATH = 103;

const START_MS = 10_000;

/** What starts the runner; its folder, its socket and, where it differs, the umask of commands are added as the last arguments. */
export interface RunnerCommandLine {
  command: string;
  args: readonly string[];
  /** Where it finds its tools (`mkfifo`); it gets nothing else of our environment. */
  searchPath?: string | undefined;
}

/** Where a runner is found again, also by another worker. */
export interface RunnerAddress {
  id: string;
  socketPath: string;
  pid: number;
  /** With the pid, names one process; absent where the system does not tell. */
  startedAt?: string;
}

export interface RunnerProcess {
  address: RunnerAddress;
  connection: RunnerConnection;
}

/** The runner of a compiled Runyard. */
export function compiledRunner(searchPath?: string): RunnerCommandLine {
  return { command: process.execPath, args: [fileURLToPath(new URL('./runner/main.js', import.meta.url))], searchPath };
}

/** Starts a runner in a session of its own; it outlives this process. Removes what dead runners left of theirs. */
export async function startRunner(
  stateDirectory: string,
  commandLine: RunnerCommandLine,
  commandUmask?: number,
): Promise<RunnerProcess> {
  const runners = join(stateDirectory, 'runners');
  await mkdir(runners, { recursive: true, mode: 0o700 });
  await removeDeadRunners(runners);

  const folder = await mkdtemp(socketFits(runners) ? join(runners, 'r-') : join(tmpdir(), 'runyard-'));
  const socketPath = join(folder, 'socket');
  const pid = await launch(commandLine, folder, [
    folder,
    socketPath,
    ...(commandUmask === undefined ? [] : [commandUmask.toString(8)]),
  ]);
  const startedAt = processStart(pid);
  const connection = await RunnerConnection.connect(socketPath);
  return { address: { id: basename(folder), socketPath, pid, ...(startedAt && { startedAt }) }, connection };
}

/** `mkdtemp` adds six characters to the name. */
function socketFits(folder: string): boolean {
  return Buffer.byteLength(join(folder, 'r-012345', 'socket')) <= MAX_SOCKET_PATH;
}

/** The pid of the runner once it listens. */
async function launch(commandLine: RunnerCommandLine, folder: string, more: readonly string[]): Promise<number> {
  const { command, args, searchPath } = commandLine;
  const logPath = join(folder, 'log');
  const log = await open(logPath, 'a', 0o600);
  try {
    const child = spawn(command, [...args, ...more], {
      cwd: folder,
      detached: true,
      env: searchPath === undefined ? {} : { PATH: searchPath },
      stdio: ['ignore', 'pipe', log.fd],
    });
    if (await isReady(child)) return child.pid!;
    child.kill('SIGKILL');
    throw new Error((await readFile(logPath, 'utf8')).slice(-2000) || 'it ended, or hangs, without a word');
  } catch (error) {
    throw new SandboxUnavailableError(`The runner of local sandboxes does not start: ${messageOf(error)}`);
  } finally {
    await log.close();
  }
}

/** From then on the child is on its own. Rejects when there is no such program. */
async function isReady(child: ChildProcess): Promise<boolean> {
  const output = child.stdout!;
  const ready = once(output, 'data').then(() => true);
  const patience = new AbortController();
  try {
    return await Promise.race([
      ready,
      once(child, 'exit').then(() => false),
      sleep(START_MS, false, { signal: patience.signal }),
    ]);
  } finally {
    patience.abort();
    output.destroy();
    child.unref();
  }
}

/** A socket that refuses belongs to a dead runner; a folder without one may belong to a runner that is just starting. */
async function removeDeadRunners(runners: string): Promise<void> {
  for (const name of await readdir(runners)) {
    try {
      (await RunnerConnection.connect(join(runners, name, 'socket'))).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
        await rm(join(runners, name), { recursive: true, force: true });
      }
    }
  }
}
