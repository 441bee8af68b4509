import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { type Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from './interpreter.js';
import { type Journal } from './journal.js';
import { monotonicMs } from './monotonic.js';
import { OutputFile } from './output-file.js';
import { type OutputPipe } from './output-pipes.js';
import { groupOf, MARKS, type MarkedProcesses, processStart, signal, signalGroup } from './processes.js';
import { type CommandRequest, type EndRecord } from './protocol.js';
import { epochFolder, outputPath, scriptPath } from './run-folder.js';
import { type RunningCommand, type Strays } from './strays.js';

const TERM_GRACE_MS = 5_000;
const DRAIN_MS = 500;
const NOTICE_MS = 50;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const OUT_OF_RESOURCES = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'];

export interface CommandSpec extends CommandRequest {
  /** The folder of the run. */
  run: string;
  epoch: number;
  workingDirectory: string;
}

/** As whom commands work, where that is not the runner's own user. */
export interface CommandUser {
  uid: number;
  gid: number;
}

/** What a command needs of the runner. */
export interface CommandHost {
  /** The command's own until its end. */
  pipe: OutputPipe;
  processes: MarkedProcesses;
  strays: Strays;
  user?: CommandUser | undefined;
  journal: Journal;
  /** Comes once, when the end is recorded and before the result; tells whether the pipe is held by nobody any more. */
  onEnd(pipeIsFree: boolean): void;
}

/** `lost` is the end of a command whose own end counts for nothing: it is not recorded. */
export type CommandResult = { kind: 'ended'; end: EndRecord } | { kind: 'lost'; reason: string };

/**
 * One command with its process tree, as leader of a session of its own. It ends when its main process does; by then
 * the rest of the tree is dead, what it wrote is in the file, and the end is recorded, in this order.
 */
export class StartedCommand {
  /** The epoch it belongs to: the one that started it, or the last that adopted it. */
  epoch: number;
  readonly result: Promise<CommandResult>;
  private readonly startedMs = monotonicMs();
  private readonly folder: string;
  private readonly output: OutputFile;
  private readonly followers = new Set<(bytes: number) => void>();
  private child?: ChildProcess;
  private running?: RunningCommand;
  private stopped?: 'timed_out' | 'cancelled';
  private lostReason?: string;
  private timers: NodeJS.Timeout[] = [];
  private notice: NodeJS.Timeout | undefined;

  constructor(
    private readonly spec: CommandSpec,
    private readonly host: CommandHost,
  ) {
    this.epoch = spec.epoch;
    this.folder = epochFolder(spec.run, spec.epoch);
    this.output = new OutputFile(outputPath(this.folder, spec.attempt));
    this.result = this.execute(host.pipe.open());
  }

  /** Tells the number of bytes written so far, now and then while there are more. */
  follow(onOutput: (bytes: number) => void): void {
    this.followers.add(onOutput);
    if (this.output.bytes > 0) onOutput(this.output.bytes);
  }

  /** TERM to the whole tree, KILL after 5 s. The first reason to stop is the one that is recorded. */
  stop(reason: 'timed_out' | 'cancelled'): void {
    if (this.stopped || !this.isRunning) return;
    this.stopped = reason;
    this.signalTree('SIGTERM');
    this.timers.push(setTimeout(() => this.signalTree('SIGKILL'), TERM_GRACE_MS));
  }

  /** Kills it at once, without an end: nobody may rely on what it did. */
  lose(reason: string): void {
    this.lostReason ??= reason;
    this.signalTree('SIGKILL');
  }

  private async execute({ reader, writingEnd }: { reader: Socket; writingEnd: number }): Promise<CommandResult> {
    const drained = this.collect(reader);
    let closedByAll = false;
    try {
      const exit = await this.spawn(writingEnd).catch((error: NodeJS.ErrnoException) => this.couldNotStart(error));
      await this.killTree();
      closedByAll = await Promise.race([drained, sleep(DRAIN_MS, false, { ref: false })]);
      return this.settle(exit);
    } finally {
      reader.destroy();
      this.output.close();
      this.clearTimers();
      this.host.onEnd(closedByAll);
    }
  }

  /** Keeps what comes through the pipe; resolves once no process holds its other end. */
  private collect(reader: Socket): Promise<boolean> {
    reader.on('data', (chunk: Buffer) => {
      try {
        this.output.append(chunk);
        this.noticeSoon();
      } catch (error) {
        reader.destroy();
        this.lose(`The output could not be kept: ${String(error)}`);
      }
    });
    return new Promise((resolve) => {
      reader.once('end', () => resolve(true));
      reader.once('error', () => resolve(false));
      reader.once('close', () => resolve(false));
    });
  }

  private get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when the main process ends. */
  private async spawn(writingEnd: number): Promise<Exit> {
    const { run, attempt, epoch, workingDirectory: cwd, timeoutMs } = this.spec;
    let input: number | undefined;
    let scriptFile: number | undefined;
    try {
      input = this.openInput();
      const env = { ...this.spec.env, [MARKS.sandbox]: run, [MARKS.epoch]: `${epoch}`, [MARKS.attempt]: attempt };
      const line = commandLine(this.spec, this.spec.env.PATH, scriptPath(this.folder, attempt));
      ({ scriptFile } = line);
      const stdio: StdioOptions = [input ?? 'ignore', writingEnd, writingEnd, scriptFile ?? 'ignore'];
      this.child = spawn(line.executable, line.args, { cwd, env, stdio, detached: true, ...this.host.user });
    } finally {
      for (const file of [writingEnd, input, scriptFile]) if (file !== undefined) closeSync(file);
    }
    const exit = exitOf(this.child);
    const { pid } = this.child;
    if (pid !== undefined) {
      const startedAt = processStart(pid);
      this.host.journal.started({ attempt, epoch, pid, timeoutMs, ...(startedAt !== undefined && { startedAt }) });
      this.running = { run, attempt, startedAt, pipe: this.host.pipe.path };
      this.host.strays.add(this.running);
      this.limit(timeoutMs);
    }
    return exit;
  }

  /** However long: the system's own timers know 25 days at most. */
  private limit(leftMs: number): void {
    const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
    const due = (): void => (leftMs > partMs ? this.limit(leftMs - partMs) : this.stop('timed_out'));
    this.timers.push(setTimeout(due, partMs));
  }

  private openInput(): number | undefined {
    const { stdinFile } = this.spec;
    if (stdinFile === undefined) return undefined;
    const file = openSync(stdinFile, 'r');
    rmSync(stdinFile);
    return file;
  }

  /** A command that is at fault itself fails as a shell would have it; any other fault is the host's. */
  private couldNotStart(error: NodeJS.ErrnoException): Exit {
    if (!isOfCommand(error)) {
      this.lose(`The command could not be started: ${error.message}`);
      return {};
    }
    const { workingDirectory } = this.spec;
    const isGone = !existsSync(workingDirectory);
    const reason = isGone ? `The working directory ${workingDirectory} is gone` : error.message;
    this.output.append(Buffer.from(`runyard: the command could not be started: ${reason}\n`));
    return { exitCode: error.code === 'ENOENT' && !isGone ? 127 : 126 };
  }

  private settle(exit: Exit): CommandResult {
    if (this.lostReason !== undefined) return { kind: 'lost', reason: this.lostReason };
    const exitCode = exit.exitCode ?? (this.stopped ? undefined : signalled(exit.signal));
    const end: EndRecord = {
      termination: this.stopped ?? 'exited',
      ...(exitCode !== undefined && this.stopped !== 'timed_out' && { exitCode }),
      durationMs: monotonicMs() - this.startedMs,
      bytes: this.output.bytes,
    };
    this.host.journal.ended(this.spec.attempt, end);
    return { kind: 'ended', end };
  }

  private signalTree(name: NodeJS.Signals): void {
    const leader = this.child?.pid;
    if (leader === undefined || !this.isRunning) return;
    signalGroup(leader, name);
    for (const pid of this.host.processes.find((mark) => this.isMine(mark))) {
      if (groupOf(pid) !== leader) signal(pid, name);
    }
  }

  private async killTree(): Promise<void> {
    const leader = this.child?.pid;
    if (leader === undefined) return;
    signalGroup(leader, 'SIGKILL');
    const areDead = await this.host.processes.kill((mark) => this.isMine(mark));
    if (!areDead) this.lostReason ??= 'Processes of the command could not be killed.';
    if (this.running) await this.host.strays.endWith(this.running);
  }

  private isMine(mark: { sandbox: string; attempt: string }): boolean {
    return mark.attempt === this.spec.attempt && mark.sandbox === this.spec.run;
  }

  private noticeSoon(): void {
    if (this.followers.size === 0) return;
    this.notice ??= setTimeout(() => {
      this.notice = undefined;
      for (const onOutput of this.followers) onOutput(this.output.bytes);
    }, NOTICE_MS);
  }

  private clearTimers(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    clearTimeout(this.notice);
  }
}

interface Exit {
  /** Absent when a signal ended the process. */
  exitCode?: number;
  signal?: NodeJS.Signals;
}

/** The exit code that a shell gives to a process that a signal ended. */
function signalled(signal: NodeJS.Signals | undefined): number | undefined {
  return signal && 128 + constants.signals[signal];
}

/** The program is missing or no program, or the arguments are none that a process can have. */
function isOfCommand({ code = '', syscall = '' }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_INVALID_ARG_VALUE' || (syscall.startsWith('spawn') && !OUT_OF_RESOURCES.includes(code));
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve(exitCode === null ? { signal: signal! } : { exitCode }));
  });
}
