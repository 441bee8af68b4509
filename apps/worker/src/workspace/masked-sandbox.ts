import {
  Sandbox,
  type CommandEnd,
  type CommandObserver,
  type CommandOutput,
  type SandboxCommand,
  type SandboxInstance,
} from '#libs/engine';
import { MAX_TOKEN_BYTES, maskTokenBytes, maskTokens, TokenMask, type AttemptId } from '#libs/kernel';

/**
 * A sandbox whose commands may print what they like: tokens of this service are masked in all that comes out of it, before
 * anything is decided, shown or stored. Each promise is that of the sandbox behind it.
 */
export class MaskedSandbox extends Sandbox {
  constructor(private readonly sandbox: Sandbox) {
    super();
  }

  get instance(): SandboxInstance {
    return this.sandbox.instance;
  }

  run(command: SandboxCommand, observer: CommandObserver): Promise<CommandEnd> {
    return masked(observer, async (observed) => this.sandbox.run(command, observed));
  }

  adopt(attemptIds: readonly AttemptId[], observer: CommandObserver): Promise<CommandEnd | undefined> {
    return masked(observer, async (observed) => this.sandbox.adopt(attemptIds, observed));
  }

  sweep(): Promise<void> {
    return this.sandbox.sweep();
  }

  keepAlive(leaseGoodAtMs: number): void {
    this.sandbox.keepAlive(leaseGoodAtMs);
  }

  release(): Promise<void> {
    return this.sandbox.release();
  }

  remove(): Promise<void> {
    return this.sandbox.remove();
  }
}

/** What a command prints is masked while it prints it, and again in what is kept of it. */
async function masked<End extends CommandEnd | undefined>(
  observer: CommandObserver,
  follow: (observer: CommandObserver) => Promise<End>,
): Promise<End> {
  const mask = observer.onOutput && new TokenMask((text) => observer.onOutput?.(text));
  const end = await follow({ ...observer, ...(mask && { onOutput: (text: string) => mask.write(text) }) });
  mask?.end();
  return end && { ...end, output: new MaskedOutput(end.output) };
}

class MaskedOutput implements CommandOutput {
  constructor(private readonly output: CommandOutput) {}

  get bytes(): number {
    return this.output.bytes;
  }

  get truncated(): boolean {
    return this.output.truncated;
  }

  /** A token whose beginning lies before the tail is one all the same. */
  async tail(maxBytes: number): Promise<string> {
    return lastOf(maskTokens(await this.output.tail(maxBytes + MAX_TOKEN_BYTES)), maxBytes);
  }

  async read(): Promise<Uint8Array> {
    return maskTokenBytes(await this.output.read());
  }
}

/** The last bytes of a text, from the first whole character on. */
function lastOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - maxBytes);
  while (from > 0 && (bytes[from]! & 0b1100_0000) === 0b1000_0000) from++;
  return from === 0 ? text : bytes.toString('utf8', from);
}
