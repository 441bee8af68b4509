import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxUnavailableError } from '#libs/engine';
import { messageOf } from '#libs/kernel';
import { belowReaper } from './reaper.js';
import { processStart, signalGroup } from '../runner/processes.js';
import type { RunnerOptions } from '../runner/runner.js';
import type { RunnerCommandLine } from './runner-command-line.js';
import { RunnerConnection } from './runner-connection.js';

/** The shortest limit of the systems we run on, for the path of a Unix socket. */
const MAX_SOCKET_PATH = 103;

const START_MS = 10_000;

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

/** Starts a runner in a session of its own; it outlives this process. Removes what dead runners left of theirs. */
export async function startRunner(
  stateDirectory: string,
  commandLine: RunnerCommandLine,
  options: RunnerOptions = {},
): Promise<RunnerProcess> {
  const runners = join(stateDirectory, 'runners');
  await mkdir(runners, { recursive: true, mode: 0o700 });
  await removeDeadRunners(runners);

  const folder = await mkdtemp(socketFits(runners) ? join(runners, 'r-') : join(tmpdir(), 'runyard-'));
  const socketPath = join(folder, 'socket');
  const pid = await launchReaped(commandLine, folder, socketPath, options);
  const startedAt = processStart(pid);
  const connection = await RunnerConnection.connect(socketPath);
  return { address: { id: basename(folder), socketPath, pid, ...(startedAt && { startedAt }) }, connection };
}

/** `mkdtemp` adds six characters to the name. */
function socketFits(folder: string): boolean {
  return Buffer.byteLength(join(folder, 'r-012345', 'socket')) <= MAX_SOCKET_PATH;
}

/** Below a reaper where there can be one; otherwise without: then a process that hides from its command outlives it. */
async function launchReaped(
  commandLine: RunnerCommandLine,
  folder: string,
  socketPath: string,
  options: RunnerOptions,
): Promise<number> {
  const reaped = belowReaper(commandLine);
  const start = (line: RunnerCommandLine, given: RunnerOptions): Promise<number> =>
    launch(line, folder, [folder, socketPath, JSON.stringify(given)]);
  if (!reaped) return start(commandLine, options);
  return start(reaped, { ...options, hasReaper: true }).catch(() => start(commandLine, options));
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
    const pid = await pidOnceReady(child);
    if (pid !== undefined) return pid;
    signalGroup(child.pid!, 'SIGKILL');
    throw new Error((await readFile(logPath, 'utf8')).slice(-2000) || 'it ended, or hangs, without a word');
  } catch (error) {
    throw new SandboxUnavailableError(`The runner of local sandboxes does not start: ${messageOf(error)}`);
  } finally {
    await log.close();
  }
}

/** From then on the child is on its own. Rejects when there is no such program. */
async function pidOnceReady(child: ChildProcess): Promise<number | undefined> {
  const output = child.stdout!;
  const ready = once(output, 'data').then(([line]) => Number(String(line).split(' ')[1]));
  const patience = new AbortController();
  try {
    return await Promise.race([
      ready,
      once(child, 'exit').then(() => undefined),
      sleep(START_MS, undefined, { signal: patience.signal }),
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
