import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { type Sandbox, SandboxProvider, type SandboxRequest, type SandboxRun } from '#libs/engine';
import { WorkingDirectoryError } from '../errors.js';
import { LocalSandbox } from './local-sandbox.js';
import { removeRun } from './remove-run.js';
import { RunRunners } from './run-runners.js';
import { runFolder, runsIn } from './run-folders.js';
import type { LocalUser } from './local-user.js';
import type { RunnerOptions } from '../runner/runner.js';
import { compiledRunner, type RunnerCommandLine } from './runner-command-line.js';
import { type RunnerProcess, startRunner } from './runner-process.js';

export interface LocalSandboxOptions {
  /** On a disk of this host, and the same for all its workers: a worker finds there what another one left. */
  stateDirectory: string;
  /** What every command inherits; see `hostEnvironment`. A run's own variables come on top. */
  inheritedEnv: Readonly<Record<string, string>>;
  /** For the files that commands make; that of this process when not given. */
  commandUmask?: number | undefined;
  /** As whom commands work, with what their environment says of them; this process's own user when not given. */
  user?: LocalUser | undefined;
  /** The compiled runner, when not given. */
  runner?: RunnerCommandLine;
}

/** Runs that are told of at once. */
const PAGE_RUNS = 500;

/**
 * Runs commands in place: in the run's source directory, on this host, as the user of this process or as the one
 * that is set, isolated from nothing else. One runner process serves all runs of the provider; it is started when it is first needed.
 */
export class LocalSandboxProvider extends SandboxProvider {
  readonly kind = 'local';
  private readonly stateDirectory: string;
  private readonly inheritedEnv: Readonly<Record<string, string>>;
  private readonly commandLine: RunnerCommandLine;
  private readonly runnerOptions: RunnerOptions;
  private readonly user: string | undefined;
  private runner: Promise<RunnerProcess> | undefined;

  constructor({ stateDirectory, inheritedEnv, runner, commandUmask, user }: LocalSandboxOptions) {
    super();
    this.stateDirectory = resolve(stateDirectory);
    this.inheritedEnv = { ...inheritedEnv, ...user?.env };
    this.user = user?.env.USER;
    this.runnerOptions = {
      ...(commandUmask !== undefined && { umask: commandUmask.toString(8) }),
      ...(user && { user: { uid: user.uid, gid: user.gid } }),
    };
    this.commandLine = runner ?? compiledRunner(inheritedEnv.PATH);
  }

  /** Rejects with a {@link WorkingDirectoryError} when there is nowhere to work. */
  async open(request: SandboxRequest): Promise<Sandbox> {
    const { tenantId, runId, epoch, leaseGoodAtMs } = request;
    const workingDirectory = await existing(request.sourceDirectory);
    const run = this.folderOf(request);
    const opening = { run, epoch, workingDirectory, env: { ...this.inheritedEnv, ...request.env } };
    const runners = new RunRunners(opening, () => this.workersRunner(), leaseGoodAtMs);
    await runners.ownRunner().catch((error: unknown) => {
      runners.release();
      throw error;
    });

    const id = `${tenantId}/${runId}`;
    const { user } = this;
    const instance = { provider: this.kind, id, workingDirectory, ...(user !== undefined && { user }) } as const;
    return new LocalSandbox(instance, opening, runners, () => removeRun(run, epoch));
  }

  async remove(run: SandboxRun & { epoch: number }): Promise<void> {
    await removeRun(this.folderOf(run), run.epoch);
  }

  async *inPlace(): AsyncIterable<readonly SandboxRun[]> {
    let page: SandboxRun[] = [];
    for await (const run of runsIn(this.sandboxes)) {
      if (page.push(run) < PAGE_RUNS) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  /** Ends the runner and every command it runs for this provider; one that another worker adopted goes on. */
  async close(): Promise<void> {
    const runner = await this.runner?.catch(() => undefined);
    this.runner = undefined;
    if (!runner?.connection.isOpen) return;
    // One that does not answer ends what it runs by its switch, and then itself.
    await runner.connection.request({ do: 'shutdown' }).catch(() => undefined);
    runner.connection.close();
  }

  /** The one runner of this worker; another one when it has died, or did not start. */
  private async workersRunner(): Promise<RunnerProcess> {
    const present = this.runner;
    const runner = await present?.catch(() => undefined);
    if (runner?.connection.isOpen) return runner;
    if (this.runner === present) this.runner = startRunner(this.stateDirectory, this.commandLine, this.runnerOptions);
    return this.runner ?? this.workersRunner();
  }

  private folderOf(run: SandboxRun): string {
    return runFolder(this.sandboxes, run);
  }

  private get sandboxes(): string {
    return join(this.stateDirectory, 'sandboxes');
  }
}

async function existing(directory: string | null): Promise<string> {
  if (directory === null || !isAbsolute(directory)) throw new WorkingDirectoryError(directory);
  const isDirectory = await stat(directory).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new WorkingDirectoryError(directory);
  return directory;
}
