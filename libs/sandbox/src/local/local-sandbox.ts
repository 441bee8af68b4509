import { writeFile } from 'node:fs/promises';
import {
  type CommandEnd,
  type CommandObserver,
  Sandbox,
  type SandboxCommand,
  type SandboxInstance,
  SandboxUnavailableError,
} from '#libs/engine';
import { type AttemptId, InvariantError } from '#libs/kernel';
import { KeptCommandOutput } from './kept-command-output.js';
import { OutputFollower } from './output-follower.js';
import { type RunnerConnection } from './runner-connection.js';
import { type RunOpening, type RunRunners } from './run-runners.js';
import { type EndRecord, type Request } from '../runner/protocol.js';
import { type AttemptRecord, readJournals } from '../runner/journal.js';
import { epochFolder, inputPath, outputPath } from '../runner/run-folder.js';
import { killLeftovers } from './leftovers.js';

/** What a runner may need beyond the time limit of a command: TERM, 5 s, KILL, and the file of the end. */
const OVERTIME_MS = 15_000;

/** How one command is followed. */
interface Following {
  /** The file of its output. */
  output: string;
  timeoutMs: number;
  observer: CommandObserver;
}

/** One run on this host, as one epoch holds it. The commands themselves are children of a runner process. */
export class LocalSandbox extends Sandbox {
  private readonly letGo = new AbortController();

  constructor(
    readonly instance: SandboxInstance,
    private readonly opening: RunOpening,
    private readonly runners: RunRunners,
    private readonly removeRun: () => Promise<void>,
  ) {
    super();
  }

  async run(command: SandboxCommand, observer: CommandObserver): Promise<CommandEnd> {
    const { attemptId: attempt, language, script, timeoutMs, env = {} } = command;
    const runner = await this.ownRunner();
    const output = outputPath(this.folder, attempt);
    if (observer.signal.aborted) return endOf(output, { termination: 'cancelled', durationMs: 0, bytes: 0 });
    const stdinFile = await this.placeInput(command);

    const { run, epoch } = this.opening;
    const follow = observer.onOutput !== undefined;
    const spec = { attempt, language, script, timeoutMs, env, ...(stdinFile !== undefined && { stdinFile }) };
    const following = { output, timeoutMs, observer };
    const end = await this.follow(runner, { do: 'start', run, epoch, follow, ...spec }, following);
    if (!end) throw new InvariantError('A runner does not know the command it was asked to start.');
    return endOf(output, end);
  }

  async adopt(attempts: readonly AttemptId[], observer: CommandObserver): Promise<CommandEnd | undefined> {
    for (const attempt of attempts) this.runners.adopted.add(attempt);
    try {
      await this.ownRunner();
      const records = readJournals(this.opening.run);
      for (const attempt of attempts) {
        const record = records.get(attempt);
        if (!record) continue;
        const output = outputPath(record.epoch, attempt);
        const following = { output, timeoutMs: record.started?.timeoutMs ?? 0, observer };
        const end = (await this.followAnywhere(attempt, following)) ?? this.recordOf(attempt)?.ended;
        if (end) return endOf(output, end);
      }
      await killLeftovers(this.opening.run, (command) => attempts.some((name) => name === command.attempt));
      return undefined;
    } finally {
      for (const attempt of attempts) this.runners.adopted.delete(attempt);
    }
  }

  async sweep(): Promise<void> {
    await this.ownRunner();
    await this.runners.sweep();
  }

  keepAlive(leaseGoodAtMs: number): void {
    if (!this.isLetGo) this.runners.keepAlive(leaseGoodAtMs);
  }

  async release(): Promise<void> {
    if (this.isLetGo) return;
    this.letGo.abort();
    this.runners.release();
  }

  async remove(): Promise<void> {
    await this.release();
    await this.removeRun();
  }

  private get folder(): string {
    return epochFolder(this.opening.run, this.opening.epoch);
  }

  private get isLetGo(): boolean {
    return this.letGo.signal.aborted;
  }

  private ownRunner(): Promise<RunnerConnection> {
    if (this.isLetGo) throw new SandboxUnavailableError('The sandbox was released.');
    return this.runners.ownRunner();
  }

  /** The end of a command that still runs in some runner, once it comes. */
  private async followAnywhere(attempt: AttemptId, following: Following): Promise<EndRecord | undefined> {
    const { run, epoch } = this.opening;
    const follow = following.observer.onOutput !== undefined;
    for (const runner of await this.runners.all()) {
      const end = await this.follow(runner, { do: 'adopt', run, epoch, attempt, follow }, following);
      if (end) return end;
    }
    return undefined;
  }

  private async follow(
    runner: RunnerConnection,
    request: Extract<Request, { do: 'start' | 'adopt' }>,
    { output, timeoutMs, observer }: Following,
  ): Promise<EndRecord | undefined> {
    const { run, epoch, attempt } = request;
    const { signal } = observer;
    const follower = request.follow ? new OutputFollower(output, (text) => observer.onOutput?.(text)) : undefined;
    // Whoever let go of the sandbox cancels nothing in it: the next owner goes on with it.
    const cancel = () => {
      if (!this.isLetGo) runner.send({ do: 'cancel', run, epoch, attempt });
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const settled = runner.request(request, {
        patienceMs: timeoutMs + OVERTIME_MS,
        onOutput: (bytes) => follower?.advance(bytes),
        cancelled: signal,
        unless: this.letGo.signal,
      });
      if (signal.aborted) cancel();
      const answer = await settled;
      if (answer.kind !== 'ended') return undefined;
      await follower?.finish(answer.end.bytes);
      return answer.end;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** The runner takes the input from a file, so that the command may read it by name and at its own pace. */
  private async placeInput({ attemptId, stdin }: SandboxCommand): Promise<string | undefined> {
    if (stdin === undefined) return undefined;
    const file = inputPath(this.folder, attemptId);
    await writeFile(file, stdin, { mode: 0o600 });
    return file;
  }

  private recordOf(attempt: string): AttemptRecord | undefined {
    return readJournals(this.opening.run).get(attempt);
  }
}

function endOf(output: string, { bytes, ...end }: EndRecord): CommandEnd {
  return { ...end, output: new KeptCommandOutput(output, bytes) };
}
