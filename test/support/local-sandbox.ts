import { type SandboxCommand, type SandboxRequest } from '#libs/engine';
import { hostEnvironment, LocalSandboxProvider, type RunnerCommandLine } from '#libs/sandbox';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const loader = fileURLToPath(new URL('./typescript-loader.js', import.meta.url));
const worker = fileURLToPath(new URL('./sandbox-worker.ts', import.meta.url));
const runner = fileURLToPath(new URL('../../libs/sandbox/src/runner/main.ts', import.meta.url));

/** `node` with what it takes to run TypeScript as it lies in the repository. */
export const sourceArguments = ['--conditions', 'runyard-source', '--import', loader];

/** The runner of local sandboxes, from source: under Jest there is no compiled one. */
export function runnerFromSource(): RunnerCommandLine {
  return { command: process.execPath, args: [...sourceArguments, runner], searchPath: process.env.PATH };
}

/** Hosts come and go with a spec: a state directory for all workers of the host, and a directory to work in. */
export interface SandboxHost {
  readonly stateDirectory: string;
  readonly workingDirectory: string;
  /** One more worker process's provider. */
  provider(): LocalSandboxProvider;
  /** A worker process that runs one command; see sandbox-worker.ts. */
  worker(request: SandboxRequest, command: SandboxCommand): ChildProcess;
  /** Closes all providers and removes the directories. */
  remove(): Promise<void>;
}

export async function sandboxHost(): Promise<SandboxHost> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-'));
  const stateDirectory = join(folder, 'state');
  const options = { stateDirectory, inheritedEnv: hostEnvironment(process.env), runner: runnerFromSource() };
  const providers: LocalSandboxProvider[] = [];
  const workers: ChildProcess[] = [];
  return {
    stateDirectory,
    workingDirectory: folder,
    provider() {
      const provider = new LocalSandboxProvider(options);
      providers.push(provider);
      return provider;
    },
    worker(...request) {
      const args = [options, ...request].map((value) => JSON.stringify(value));
      const child = spawn(process.execPath, [...sourceArguments, worker, ...args], { stdio: 'inherit' });
      workers.push(child);
      return child;
    },
    async remove() {
      workers.forEach((child) => child.kill('SIGKILL'));
      await Promise.all(providers.map((provider) => provider.close()));
      for (const pid of await runnersOf(stateDirectory)) endQuietly(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A runner may be about to end by itself. */
function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The runners that work for a state directory. */
export async function runnersOf(stateDirectory: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(join(stateDirectory, 'runners')))
    .map((line) => Number.parseInt(line, 10));
}

/** The numbers that stand alone on lines of a command's output. */
export function pidsIn(output: string): number[] {
  return output
    .split('\n')
    .filter((line) => /^\d+$/.test(line))
    .map(Number);
}

/** Whether a process still works; one that is dead and not yet collected does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', `${pid}`]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

const LOOK_EVERY_MS = 20;

/** Waits for something to be there: neither `undefined` nor `false`. A busy machine has longer: only rests count. */
export async function until<T>(look: () => Promise<T | undefined | false>, patienceMs = 10_000): Promise<T> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += LOOK_EVERY_MS, await sleep(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error('What was waited for did not come.');
}
