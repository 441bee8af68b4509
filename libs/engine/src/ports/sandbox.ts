import { RunyardError, type AttemptId } from '#libs/kernel';
import type { RunKey } from './run-store.js';

/** It cannot be known how a command ended, or the sandbox cannot be reached. A transient fault of the infrastructure. */
export class SandboxUnavailableError extends RunyardError {
  override readonly code = 'sandbox_unavailable';
  readonly kind = 'unavailable';
}

/** A run as what it has in a sandbox belongs to it. */
export interface SandboxRun extends RunKey {
  /** When the run was stored. Of an earlier run with its id, which was removed, something may still lie there. */
  bornAt: string;
}

/** What a run asks of the place where its commands work. */
export interface SandboxRequest extends SandboxRun {
  /** The epoch of the lease under which this worker opens it; every process it starts is marked with it. */
  epoch: number;
  /** When the lease was last known to be good, as a monotonic instant; see {@link Sandbox.keepAlive}. */
  leaseGoodAtMs: number;
  /** The directory the client was in. A local sandbox works there; others clone or upload into a directory of their own. */
  sourceDirectory: string | null;
  /** Environment variables of every command, already resolved. */
  env: Readonly<Record<string, string>>;
}

/** Facts about an open sandbox, as `sandbox.initialized` reports them. */
export interface SandboxInstance {
  provider: 'local' | 'docker' | 'cloud';
  /** Names the sandbox to its provider; stable over all epochs of the run. */
  id: string;
  /** Absolute path inside the sandbox where commands start. */
  workingDirectory: string;
  image?: string;
  /** As whom commands work on this host, where that is not the server's own user. */
  user?: string;
}

export interface SandboxCommand {
  attemptId: AttemptId;
  script: string;
  /** `shell` is a non-login `bash -c` (or `sh -c` where there is no bash); `python` is `python3 -c`. */
  language: 'shell' | 'python';
  /** Added to the sandbox's own environment. `RUNYARD_ATTEMPT_ID` is set by the adapter. */
  env?: Readonly<Record<string, string>>;
  /** Written to standard input, which is closed afterwards; without it standard input is empty. */
  stdin?: string;
  timeoutMs: number;
}

export interface CommandObserver {
  /** Cancels the command: TERM to its whole process tree, KILL after 5 s. The command then ends as `cancelled`. */
  signal: AbortSignal;
  /** Output as it comes, decoded and safe to store; standard error is merged into standard output. */
  onOutput?(text: string): void;
}

/** The merged output of one command, kept by the sandbox until it is removed. */
export interface CommandOutput {
  /** Bytes the command wrote. */
  readonly bytes: number;
  /** True when the middle was dropped: at most 64 MiB are kept, head and tail. */
  readonly truncated: boolean;
  /** The last `maxBytes` as text: UTF-8 with replacement, no NUL, no lone surrogate. */
  tail(maxBytes: number): Promise<string>;
  /** Everything that was kept. */
  read(): Promise<Uint8Array>;
}

export interface CommandEnd {
  termination: 'exited' | 'timed_out' | 'cancelled';
  /** 128 and the number of the signal when one ended the command. Absent when the time limit or a cancel did. */
  exitCode?: number;
  durationMs: number;
  output: CommandOutput;
}

/**
 * Where the commands of one run work. It outlives the worker that opened it: a worker that takes over opens it again
 * under its own epoch and finds, adopts or kills what an earlier epoch left.
 */
export abstract class Sandbox {
  abstract readonly instance: SandboxInstance;

  /**
   * Runs one command to its end, whatever it prints. Nothing of its process tree survives the end. Rejects with a
   * {@link SandboxUnavailableError} when it cannot be known how the command ended (the runner is gone): the caller
   * treats that as a transient fault of the infrastructure, not as a failed command.
   */
  abstract run(command: SandboxCommand, observer: CommandObserver): Promise<CommandEnd>;

  /**
   * Goes on with a command that an earlier epoch started under one of these names, the first that is known here: its
   * recorded end when it has finished, its end to come when it still runs. `undefined` when none is known, or it cannot
   * be known how it ended; nothing of it works any more then, and it may be run again, under a new attempt id.
   */
  abstract adopt(attemptIds: readonly AttemptId[], observer: CommandObserver): Promise<CommandEnd | undefined>;

  /** Kills, with their trees, all processes that earlier epochs started in this sandbox; resolves when they are dead. */
  abstract sweep(): Promise<void>;

  /**
   * Feeds the dead man's switch: the lease was known to be good at this monotonic instant (see
   * {@link monotonicMs}). 8 s after the last such instant the runner
   * kills every process of this run, so that nothing works on after the lease (10 s) was lost.
   */
  abstract keepAlive(leaseGoodAtMs: number): void;

  /**
   * Lets go of the sandbox and leaves it in place for the next owner: a parked run, a hand-over, a lost lease. What works in
   * it is not cancelled; whoever followed it here is told at once, by a {@link SandboxUnavailableError}.
   */
  abstract release(): Promise<void>;

  /** Kills everything in it and removes what the run kept beside its working directory. Harmless when repeated. */
  abstract remove(): Promise<void>;
}

/** Opens sandboxes of one kind. */
export abstract class SandboxProvider {
  abstract readonly kind: SandboxInstance['provider'];

  /** Creates the run's sandbox, or connects to it again when an earlier epoch created it. */
  abstract open(request: SandboxRequest): Promise<Sandbox>;

  /**
   * Removes the sandbox of a run that nobody holds, without opening it. Harmless when there is none. Rejects when a later
   * epoch than this one has opened it.
   */
  abstract remove(run: SandboxRun & { epoch: number }): Promise<void>;

  /** The runs that have a sandbox within reach of this worker, whoever opened it, in pages. */
  abstract inPlace(): AsyncIterable<readonly SandboxRun[]>;

  /** Ends whatever the provider itself keeps running in this process's name. */
  abstract close(): Promise<void>;
}
