import { StartedCommand, type CommandSpec, type CommandUser } from './command.js';
import { Journal } from './journal.js';
import { monotonicMs } from './monotonic.js';
import { type OutputPipe, type OutputPipes } from './output-pipes.js';
import { type MarkedProcesses } from './processes.js';
import { type CommandRequest } from './protocol.js';
import { epochFolder } from './run-folder.js';
import { type Strays } from './strays.js';

/** After this long without a sign that the lease is good nothing of the run may work; the lease itself lasts 10 s. */
const SWITCH_MS = 8_000;

export interface RunOpening {
  epoch: number;
  leaseGoodAtMs: number;
  workingDirectory: string;
  env: Readonly<Record<string, string>>;
}

/** What all runs of a runner share. */
export interface RunnerParts {
  /** The runner's. */
  id: string;
  processes: MarkedProcesses;
  strays: Strays;
  pipes: OutputPipes;
  user?: CommandUser | undefined;
}

/**
 * The commands of one run in this runner. Only the highest epoch that was seen may start anything, and only while its
 * lease was known to be good within the last 8 s; after that every command is killed and counts as lost.
 */
export class HeldRun {
  private readonly commands = new Map<string, StartedCommand>();
  private readonly begun = new Set<string>();
  private readonly cancelledEarly = new Set<string>();
  /** By the epoch that started what is in it. */
  private readonly journals = new Map<number, Journal>();
  private leaseTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly folder: string,
    private opening: RunOpening,
    private readonly parts: RunnerParts,
  ) {}

  get commandsLeft(): number {
    return this.commands.size;
  }

  /** The highest epoch that was seen. */
  get epoch(): number {
    return this.opening.epoch;
  }

  isHeldBy(epoch: number): boolean {
    return epoch === this.epoch;
  }

  open(opening: RunOpening): void {
    this.takeOver(opening);
    this.opening = { ...opening, leaseGoodAtMs: this.opening.leaseGoodAtMs };
  }

  /** From here on lower epochs are refused. */
  takeOver({ epoch, leaseGoodAtMs }: { epoch: number; leaseGoodAtMs: number }): void {
    this.opening.epoch = Math.max(epoch, this.opening.epoch);
    this.demand(epoch);
    this.keepAlive(epoch, leaseGoodAtMs);
  }

  /** An instant of a lower epoch says nothing about the lease of the present one. */
  keepAlive(epoch: number, leaseGoodAtMs: number): void {
    if (epoch < this.opening.epoch) return;
    this.opening.leaseGoodAtMs = Math.max(this.opening.leaseGoodAtMs, leaseGoodAtMs);
  }

  start(epoch: number, request: CommandRequest, pipe: OutputPipe): StartedCommand {
    const { workingDirectory, env } = this.opening;
    this.demand(epoch);
    if (this.leaseLeftMs() <= 0) throw new Error('The lease of the run was not confirmed for 8 s.');

    if (this.begun.has(request.attempt)) throw new Error('An attempt id names one try; this one was used before.');
    this.begun.add(request.attempt);

    const spec: CommandSpec = {
      ...request,
      run: this.folder,
      epoch,
      workingDirectory,
      env: { ...env, ...request.env },
    };
    const command = new StartedCommand(spec, {
      ...this.parts,
      pipe,
      journal: this.journalOf(epoch),
      onEnd: (pipeIsFree) => this.settle(request.attempt, pipe, pipeIsFree),
    });
    this.commands.set(request.attempt, command);
    if (this.cancelledEarly.delete(request.attempt)) command.stop('cancelled');
    this.watchLease();
    return command;
  }

  adopt(epoch: number, attempt: string): StartedCommand | undefined {
    this.demand(epoch);
    const command = this.commands.get(attempt);
    if (command) command.epoch = epoch;
    return command;
  }

  /**
   * A worker that lost the run cannot cancel what the next one goes on with. A command that is about to start, because
   * its pipe is still being made, is stopped as soon as it does.
   */
  cancel(epoch: number, attempt: string): void {
    if (!this.isHeldBy(epoch)) return;
    if (this.begun.has(attempt)) this.commands.get(attempt)?.stop('cancelled');
    else this.cancelledEarly.add(attempt);
  }

  /** Kills what epochs below this one started and nobody adopted, or is about to; resolves when it is dead. */
  sweep(below: number, spare: readonly string[]): Promise<void> {
    const old = [...this.commands].filter(([attempt, { epoch }]) => epoch < below && !spare.includes(attempt));
    const commands = old.map(([, command]) => command);
    return kill(commands, 'A later epoch holds the run.');
  }

  killAll(reason: string): Promise<void> {
    return kill([...this.commands.values()], reason);
  }

  /** For a run that is forgotten; nothing of it may be started here any more. */
  close(): void {
    for (const journal of this.journals.values()) journal.close();
    this.journals.clear();
  }

  /** A command stays known until its end is recorded: of one that is not here the end is on the disk, or there is none. */
  private settle(attempt: string, pipe: OutputPipe, pipeIsFree: boolean): void {
    if (pipeIsFree) this.parts.pipes.giveBack(pipe);
    else this.parts.pipes.discard(pipe);
    this.commands.delete(attempt);
    if (this.commands.size === 0) this.forgetLease();
  }

  private journalOf(epoch: number): Journal {
    const journal = this.journals.get(epoch) ?? new Journal(epochFolder(this.folder, epoch), this.parts.id);
    this.journals.set(epoch, journal);
    return journal;
  }

  private demand(epoch: number): void {
    if (!this.isHeldBy(epoch)) throw new Error(`Epoch ${this.opening.epoch} holds this run, not ${epoch}.`);
  }

  private leaseLeftMs(): number {
    return this.opening.leaseGoodAtMs + SWITCH_MS - monotonicMs();
  }

  private watchLease(): void {
    this.leaseTimer ??= setTimeout(() => {
      this.forgetLease();
      if (this.leaseLeftMs() <= 0) void this.killAll('The lease of the run was not confirmed for 8 s.');
      else this.watchLease();
    }, this.leaseLeftMs());
  }

  private forgetLease(): void {
    clearTimeout(this.leaseTimer);
    this.leaseTimer = undefined;
  }
}

async function kill(commands: readonly StartedCommand[], reason: string): Promise<void> {
  commands.forEach((command) => command.lose(reason));
  await Promise.allSettled(commands.map(({ result }) => result));
}
