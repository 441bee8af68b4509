/**
 * A worker process for specs that kill or freeze it: it sends itself a signal when it reaches a named point. Its
 * argument is a {@link WorkerProcessSetup}, as JSON.
 */
import { hostEnvironment, LocalSandboxProvider } from '#libs/sandbox';
import { createLogger, untilSignal } from '#libs/server-runtime';
import { Failpoints, startWorker, type Failpoint } from '../../apps/worker/src/index.js';
import { runnerFromSource } from './local-sandbox.js';
import { testPlatform } from './test-platform.js';

export interface WorkerProcessSetup {
  databaseUrl: string;
  stateDirectory: string;
  /** Of the whole server: every process says the same. */
  limit: number;
  redisUrl?: string;
  /** Runs that it drives at once; as many as the limit when absent. */
  slots?: number;
  /** Where it ends. */
  at?: SignalPoint;
}

export interface SignalPoint {
  point: Failpoint;
  /** The stage, if several reach the point. */
  stageId?: string;
  /** How often it is passed before; 0 when absent. */
  after?: number;
  signal: 'SIGKILL' | 'SIGSTOP';
}

class SignalAt extends Failpoints {
  private passed = 0;

  constructor(private readonly at: SignalPoint | undefined) {
    super();
  }

  override reach(point: Failpoint, stageId?: string): void {
    if (point !== this.at?.point || (this.at.stageId !== undefined && stageId !== this.at.stageId)) return;
    if (this.passed++ < (this.at.after ?? 0)) return;
    process.kill(process.pid, this.at.signal);
  }
}

const asked = untilSignal();
const setup = JSON.parse(process.argv[2]!) as WorkerProcessSetup;
const { databaseUrl, stateDirectory, limit, redisUrl } = setup;
const log = createLogger('info', 'worker');
const platform = await testPlatform({ databaseUrl, folder: stateDirectory, limit, redisUrl, log });
const options = { stateDirectory, inheritedEnv: hostEnvironment(process.env), runner: runnerFromSource() };
const worker = await startWorker(platform, log, {
  slots: setup.slots ?? limit,
  sandboxDirectory: stateDirectory,
  apiAddress: null,
  failpoints: new SignalAt(setup.at),
  sandboxes: [new LocalSandboxProvider(options)],
});
platform.upkeep.start();
await asked;
await worker.stop(5_000);
await platform.close();
