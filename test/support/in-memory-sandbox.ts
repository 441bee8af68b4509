import {
  type CommandEnd,
  type CommandObserver,
  monotonicMs,
  Sandbox,
  type SandboxCommand,
  type SandboxInstance,
  SandboxProvider,
  type SandboxRequest,
  SandboxUnavailableError,
} from '#libs/engine';
import { type AttemptId, type RunId, type TenantId } from '#libs/kernel';

/** What a script does: it prints, then ends, by itself or not at all. Input is echoed before the output. */
export interface ScriptedResult {
  output?: string;
  exitCode?: number;
  /** How long it takes; `Infinity` for a command that only a cancel, its time limit or a sweep can end. */
  takesMs?: number;
}

interface Attempt {
  epoch: number;
  output: string;
  end: Promise<CommandEnd>;
  finish(termination: CommandEnd['termination'], exitCode?: number): void;
  lose(): void;
}

/** One run's sandbox; it outlives the sandbox objects that workers hold. */
interface Place {
  epoch: number;
  attempts: Map<string, Attempt>;
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
    const id = idOf(request);
    const place = this.places.get(id) ?? { epoch: request.epoch, attempts: new Map() };
    if (place.epoch > request.epoch) throw new SandboxUnavailableError(`Epoch ${place.epoch} holds this run.`);
    place.epoch = request.epoch;
    this.places.set(id, place);

    const instance = { provider: this.kind, id, workingDirectory: request.sourceDirectory ?? '/' } as const;
    return new InMemorySandbox(instance, request.epoch, place, (command) => this.play(command), () => this.remove(request));
  }

  async remove(run: { tenantId: TenantId; runId: RunId }): Promise<void> {
    for (const attempt of this.places.get(idOf(run))?.attempts.values() ?? []) attempt.lose();
    this.places.delete(idOf(run));
  }

  async close(): Promise<void> {}

  private play(command: SandboxCommand): ScriptedResult {
    this.commands.push(command);
    return this.resultOf(command);
  }
}

class InMemorySandbox extends Sandbox {
  private isLetGo = false;

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
    if (this.isLetGo || this.place.epoch !== this.epoch) throw new SandboxUnavailableError('Not the holder.');
    if (this.place.attempts.has(command.attemptId)) throw new SandboxUnavailableError('This attempt was used before.');
    const attempt = begin(this.epoch, command, this.play(command));
    this.place.attempts.set(command.attemptId, attempt);
    return follow(attempt, observer);
  }

  async adopt(attemptId: AttemptId, observer: CommandObserver): Promise<CommandEnd | undefined> {
    const attempt = this.place.attempts.get(attemptId);
    if (!attempt) return undefined;
    attempt.epoch = this.epoch;
    return follow(attempt, observer).catch(() => undefined);
  }

  async sweep(): Promise<void> {
    for (const attempt of this.place.attempts.values()) if (attempt.epoch < this.epoch) attempt.lose();
  }

  keepAlive(): void {}

  async release(): Promise<void> {
    this.isLetGo = true;
  }

  async remove(): Promise<void> {
    this.isLetGo = true;
    await this.removePlace();
  }
}

function begin(epoch: number, { stdin = '', timeoutMs }: SandboxCommand, result: ScriptedResult): Attempt {
  const { output = '', exitCode = 0, takesMs = 0 } = result;
  const startedMs = monotonicMs();
  const text = stdin + output;
  const end = Promise.withResolvers<CommandEnd>();
  end.promise.catch(() => undefined);

  const limitMs = Math.min(takesMs, timeoutMs);
  const timer = setTimeout(() => (takesMs <= timeoutMs ? finish('exited', exitCode) : finish('timed_out')), limitMs);
  function finish(termination: CommandEnd['termination'], code?: number): void {
    clearTimeout(timer);
    const durationMs = monotonicMs() - startedMs;
    const kept = outputOf(text);
    end.resolve({ termination, durationMs, output: kept, ...(code !== undefined && { exitCode: code }) });
  }
  function lose(): void {
    clearTimeout(timer);
    end.reject(new SandboxUnavailableError('A later epoch holds the run.'));
  }
  return { epoch, output: text, end: end.promise, finish, lose };
}

async function follow(attempt: Attempt, { signal, onOutput }: CommandObserver): Promise<CommandEnd> {
  const cancel = () => attempt.finish('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    if (attempt.output !== '') onOutput?.(attempt.output);
    return await attempt.end;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
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

function idOf({ tenantId, runId }: { tenantId: TenantId; runId: RunId }): string {
  return `${tenantId}/${runId}`;
}
