import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ApiProcessSetup } from './api-process.js';
import { sourceArguments } from './local-sandbox.js';
import { until } from './until.js';
import type { WorkerProcessSetup } from './worker-process.js';

const workerProgram = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
const apiProgram = fileURLToPath(new URL('./api-process.ts', import.meta.url));
const START_MS = 60_000;

/** A process that a spec starts, and whatever it says. */
export class TestProcess {
  /** Standard output and standard error, in the order in which they came. */
  output = '';
  private ended: number | NodeJS.Signals | undefined;

  private constructor(private readonly child: ChildProcess) {
    const hear = (chunk: Buffer): void => void (this.output += chunk.toString());
    child.stdout!.on('data', hear);
    child.stderr!.on('data', hear);
    child.once('exit', (code, signal) => (this.ended = signal ?? code ?? -1));
  }

  static start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): TestProcess {
    return new TestProcess(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The exit code, or the signal that ended it; undefined while it lives. */
  get exit(): number | NodeJS.Signals | undefined {
    return this.ended;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Waits until it has said this; fails at once when it ends before. */
  async says(text: string, timeoutMs = START_MS): Promise<void> {
    const said = (): boolean => this.output.includes(text);
    await until(() => said() || this.ended !== undefined, `the process says "${text}":\n${this.output}`, timeoutMs);
    if (!said()) throw new Error(`The process ended (${this.ended}) and never said "${text}":\n${this.output}`);
  }

  async gone(timeoutMs = 30_000): Promise<number | NodeJS.Signals> {
    await until(() => this.ended !== undefined, `process ${this.pid} is gone:\n${this.output}`, timeoutMs);
    return this.ended!;
  }

  /** Frozen or not, it is gone afterwards. */
  async kill(): Promise<void> {
    if (this.ended === undefined) this.signal('SIGKILL');
    await this.gone();
  }
}

/**
 * A worker in a process of its own, from source, ready to claim. Where runs wait for it already, it may have died at its
 * point by then.
 */
export async function startWorkerProcess(setup: WorkerProcessSetup): Promise<TestProcess> {
  const worker = TestProcess.start([...sourceArguments, workerProgram, JSON.stringify(setup)]);
  await worker.says('The worker is ready.').catch((thrown: unknown) => {
    if (worker.exit === undefined || worker.exit !== setup.at?.signal) throw thrown;
  });
  return worker;
}

/** An API in a process of its own, from source, that answers. */
export async function startApiProcess(setup: ApiProcessSetup): Promise<TestProcess> {
  const api = TestProcess.start([...sourceArguments, apiProgram, JSON.stringify(setup)]);
  await api.says('The API listens.');
  return api;
}
