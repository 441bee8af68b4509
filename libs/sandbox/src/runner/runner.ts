import { basename } from 'node:path';
import { type StartedCommand, type CommandUser } from './command.js';
import { HeldRun, type RunnerParts } from './held-run.js';
import { OutputPipes } from './output-pipes.js';
import { MarkedProcesses } from './processes.js';
import { type RunnerReply, type Request } from './protocol.js';
import { Strays } from './strays.js';

const DONE: RunnerReply = { kind: 'done' };

type StartRequest = Extract<Request, { do: 'start' }>;

/** How this runner was started. */
export interface RunnerOptions {
  /** In octal digits, for the files that commands make; the runner's own when not given. */
  umask?: string;
  /** The runner's own when not given. */
  user?: CommandUser;
  /** Its parent is that of all processes below it which have lost theirs. */
  hasReaper?: boolean;
}

/** One connection to the runner, by identity; `onOutput` tells it of the output of the request it is waiting for. */
export interface RunnerClient {
  readonly connection: object;
  onOutput(bytes: number): void;
}

/** Serves requests about all runs of one worker process, and those of other workers that take runs over from it. */
export class Runner {
  private readonly runs = new Map<string, HeldRun>();
  private readonly holders = new Map<string, object>();
  private readonly parts: RunnerParts;

  /** `folder` takes the pipes of the commands; its name is the runner's id. */
  constructor(folder: string, { hasReaper, user }: RunnerOptions = {}) {
    this.parts = {
      id: basename(folder),
      processes: new MarkedProcesses(),
      strays: new Strays(hasReaper ? process.ppid : undefined, folder),
      pipes: new OutputPipes(folder),
      user,
    };
  }

  get commandsLeft(): number {
    return [...this.runs.values()].reduce((sum, run) => sum + run.commandsLeft, 0);
  }

  /** Never rejects: what goes wrong is a refusal. */
  async serve(request: Request, caller: RunnerClient): Promise<RunnerReply> {
    try {
      return await this.grant(request, caller);
    } catch (error) {
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Kills every command at once, for a runner that is about to end. */
  async killAll(reason: string): Promise<void> {
    await Promise.all([...this.runs.values()].map((run) => run.killAll(reason)));
  }

  private async grant(request: Request, caller: RunnerClient): Promise<RunnerReply> {
    switch (request.do) {
      case 'open':
        this.open(request, caller);
        return DONE;
      case 'takeOver':
        this.runs.get(request.run)?.takeOver(request);
        if (this.runs.has(request.run)) this.holders.set(request.run, caller.connection);
        return DONE;
      case 'start':
        return this.start(request, caller);
      case 'adopt': {
        const command = this.runs.get(request.run)?.adopt(request.epoch, request.attempt);
        return command ? this.endOf(command, request, caller) : { kind: 'unknown' };
      }
      case 'cancel':
        this.runs.get(request.run)?.cancel(request.epoch, request.attempt);
        return DONE;
      case 'keepAlive':
        this.runs.get(request.run)?.keepAlive(request.epoch, request.leaseGoodAtMs);
        return DONE;
      case 'sweep':
        await this.runs.get(request.run)?.sweep(request.below, request.spare);
        return DONE;
      case 'release':
        this.release(request);
        return DONE;
      case 'remove':
        await this.removeUpTo(request);
        return DONE;
      case 'shutdown':
        await this.removeRunsOf(caller);
        return DONE;
    }
  }

  private open(request: Extract<Request, { do: 'open' }>, { connection }: RunnerClient): void {
    const known = this.runs.get(request.run);
    if (known) known.open(request);
    else this.runs.set(request.run, new HeldRun(request.run, { ...request }, this.parts));
    this.holders.set(request.run, connection);
  }

  private async start(request: StartRequest, caller: RunnerClient): Promise<RunnerReply> {
    const pipe = await this.parts.pipes.take();
    const run = this.runs.get(request.run);
    let command: StartedCommand;
    try {
      if (!run) throw new Error('The run is not open here.');
      command = run.start(request.epoch, request, pipe);
    } catch (error) {
      this.parts.pipes.discard(pipe);
      throw error;
    }
    return this.endOf(command, request, caller);
  }

  private async endOf(
    command: StartedCommand,
    { follow }: { follow: boolean },
    caller: RunnerClient,
  ): Promise<RunnerReply> {
    if (follow) command.follow((bytes) => caller.onOutput(bytes));
    const result = await command.result;
    return result.kind === 'ended' ? result : { kind: 'refused', reason: result.reason };
  }

  /** Forgets the run. While commands are left they stay under the switch, for the next epoch to adopt. */
  private release({ run, epoch }: { run: string; epoch: number }): void {
    const held = this.runs.get(run);
    if (!held || held.commandsLeft > 0 || !held.isHeldBy(epoch)) return;
    this.forget(run);
    held.close();
  }

  private async removeUpTo({ run, epoch }: { run: string; epoch: number }): Promise<void> {
    const newest = this.runs.get(run)?.epoch ?? 0;
    if (newest > epoch) throw new Error(`Epoch ${newest} holds this run, not ${epoch}.`);
    await this.remove(run);
  }

  private async remove(run: string): Promise<void> {
    const held = this.runs.get(run);
    this.forget(run);
    await held?.killAll('The run was removed.');
    held?.close();
  }

  private async removeRunsOf({ connection }: RunnerClient): Promise<void> {
    const own = [...this.holders].filter(([, holder]) => holder === connection).map(([run]) => run);
    await Promise.all(own.map((run) => this.remove(run)));
  }

  private forget(run: string): void {
    this.runs.delete(run);
    this.holders.delete(run);
  }
}
