import {
  type CommandEnd,
  type CommandObserver,
  Sandbox,
  type SandboxCommand,
  type SandboxInstance,
  SandboxProvider,
  type SandboxRequest,
  type SandboxRun,
  SandboxUnavailableError,
} from '#libs/engine';
import { type AttemptId, monotonicMs } from '#libs/kernel';
import { text } from 'node:stream/consumers';

/** What a script does: it prints, then ends, by itself or not at all. Input is echoed before the output. */
export interface ScriptedResult {
  output?: string;
  exitCode?: number;
  /** How long it takes; `Infinity` for a command that only a cancel, its time limit or a sweep can end. */
  takesMs?: number;
}

/** One run's sandbox; it outlives the sandbox objects that workers hold. */
interface Place {
  run: SandboxRun;
  epoch: number;
  attempts: Map<string, ScriptedAttempt>;
}

/** Plays scripted results instead of running commands. All workers of a host share the `places` of one provider. */
export class InMemorySandboxProvider extends SandboxProvider {
  readonly kind = 'local';
  /** Every command that was started, in order. */
  readonly commands: SandboxCommand[] = [];
  private readonly places = new Map<string, Place>();

  constructor(private readonly resultOf: (command: SandboxCommand) => ScriptedResult) {
    super();
  }

  async open(request: SandboxRequest): Promise<Sandbox> {
    const { tenantId, runId } = request;
    const place = this.places.get(keyOf(request)) ?? { run: request, epoch: request.epoch, attempts: new Map() };
    if (place.epoch > request.epoch) throw new SandboxUnavailableError(`Epoch ${place.epoch} holds this run.`);
    place.epoch = request.epoch;
    this.places.set(keyOf(request), place);

    const instance = {
      provider: this.kind,
      id: `${tenantId}/${runId}`,
      workingDirectory: request.sourceDirectory ?? '/',
    } as const;
    return new InMemorySandbox(
      instance,
      request.epoch,
      place,
      (command) => this.play(command),
      () => this.remove(request),
    );
  }

  async remove(run: SandboxRun & { epoch: number }): Promise<void> {
    const place = this.places.get(keyOf(run));
    if (!place) return;
    if (place.epoch > run.epoch) throw new SandboxUnavailableError(`Epoch ${place.epoch} holds this run.`);
    for (const attempt of place.attempts.values()) attempt.lose();
    this.places.delete(keyOf(run));
  }

  async *inPlace(): AsyncIterable<readonly SandboxRun[]> {
    const runs = [...this.places.values()].map(({ run: { tenantId, runId, bornAt } }) => ({ tenantId, runId, bornAt }));
    if (runs.length > 0) yield runs;
  }

  async close(): Promise<void> {}

  private play(command: SandboxCommand): ScriptedResult {
    this.commands.push(command);
    return this.resultOf(command);
  }
}

class InMemorySandbox extends Sandbox {
  private readonly letGo = new AbortController();

  constructor(
    readonly instance: SandboxInstance,
    private readonly epoch: number,
    private readonly place: Place,
    private readonly play: (command: SandboxCommand) => ScriptedResult,
    private readonly removePlace: () => Promise<void>,
  ) {
    super();
  }

  async run(command: SandboxCommand, observer: CommandObserver): Promise<CommandEnd> {
    if (this.letGo.signal.aborted || this.place.epoch !== this.epoch)
      throw new SandboxUnavailableError('Not the holder.');
    if (this.place.attempts.has(command.attemptId)) throw new SandboxUnavailableError('This attempt was used before.');
    const attempt = new ScriptedAttempt(this.epoch, command, await inputText(command), this.play(command));
    this.place.attempts.set(command.attemptId, attempt);
    return attempt.follow(observer, this.letGo.signal);
  }

  async adopt(attemptIds: readonly AttemptId[], observer: CommandObserver): Promise<CommandEnd | undefined> {
    for (const attemptId of attemptIds) {
      const attempt = this.place.attempts.get(attemptId);
      if (attempt) attempt.epoch = this.epoch;
      const end = await attempt?.follow(observer, this.letGo.signal).catch(() => undefined);
      if (this.letGo.signal.aborted) throw new SandboxUnavailableError('The sandbox was released.');
      if (end) return end;
    }
    return undefined;
  }

  async sweep(): Promise<void> {
    for (const attempt of this.place.attempts.values()) if (attempt.epoch < this.epoch) attempt.lose();
  }

  keepAlive(): void {}

  async release(): Promise<void> {
    this.letGo.abort();
  }

  async remove(): Promise<void> {
    this.letGo.abort();
    await this.removePlace();
  }
}

class ScriptedAttempt {
  private readonly startedMs = monotonicMs();
  private readonly text: string;
  private readonly timer: NodeJS.Timeout;
  private readonly end: Promise<CommandEnd>;
  private settle!: { resolve: (end: CommandEnd) => void; reject: (error: Error) => void };

  constructor(
    public epoch: number,
    { timeoutMs }: SandboxCommand,
    input: string,
    { output = '', exitCode = 0, takesMs = 0 }: ScriptedResult,
  ) {
    this.text = input + output;
    this.end = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.end.catch(() => undefined);
    const isInTime = takesMs <= timeoutMs;
    const finish = () => (isInTime ? this.finish('exited', exitCode) : this.finish('timed_out'));
    this.timer = setTimeout(finish, Math.min(takesMs, timeoutMs));
  }

  async follow(observer: CommandObserver, letGo: AbortSignal): Promise<CommandEnd> {
    const { signal } = observer;
    const released = new Promise<never>((_, reject) => {
      letGo.addEventListener('abort', () => reject(new SandboxUnavailableError('The sandbox was released.')));
    });
    const cancel = () => {
      if (!letGo.aborted) this.finish('cancelled');
    };
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      if (this.text !== '') observer.onOutput?.(this.text);
      return await Promise.race([this.end, released]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  lose(): void {
    clearTimeout(this.timer);
    this.settle.reject(new SandboxUnavailableError('A later epoch holds the run.'));
  }

  private finish(termination: CommandEnd['termination'], exitCode?: number): void {
    clearTimeout(this.timer);
    const durationMs = monotonicMs() - this.startedMs;
    const output = outputOf(this.text);
    this.settle.resolve({ termination, durationMs, output, ...(exitCode !== undefined && { exitCode }) });
  }
}

/** All that a command reads on its standard input. */
export async function inputText({ stdin = '' }: SandboxCommand): Promise<string> {
  return typeof stdin === 'string' ? stdin : text(stdin());
}

function outputOf(text: string): CommandEnd['output'] {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.length,
    truncated: false,
    tail: async (maxBytes) => new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - maxBytes))),
    read: async () => bytes,
  };
}

function keyOf({ tenantId, runId, bornAt }: SandboxRun): string {
  return `${tenantId}/${runId}/${bornAt}`;
}
