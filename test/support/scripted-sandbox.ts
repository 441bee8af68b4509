import { Sandbox, type CommandEnd, type CommandObserver, type SandboxCommand } from '#libs/engine';
import type { AttemptId } from '#libs/kernel';
import { inputText } from './in-memory-sandbox.js';

/** Ends every command as it is told to, and remembers what it was asked. */
export class ScriptedSandbox extends Sandbox {
  readonly instance = { provider: 'local', id: 'sandbox', workingDirectory: '/' } as const;
  readonly asked: string[] = [];
  readonly commands: SandboxCommand[] = [];
  /** What the commands read. */
  readonly inputs: string[] = [];
  /** Ends of commands that an earlier epoch started. */
  readonly left = new Map<string, CommandEnd>();
  observer: CommandObserver | undefined;
  next: CommandEnd | Error = ended('');
  /** What a command prints before it ends, in the parts in which it comes. */
  printed: readonly string[] = [];

  async run(command: SandboxCommand, observer: CommandObserver): Promise<CommandEnd> {
    this.asked.push(`run ${command.attemptId}`);
    this.commands.push(command);
    this.inputs.push(await inputText(command));
    this.observer = observer;
    for (const text of this.printed) observer.onOutput?.(text);
    if (this.next instanceof Error) throw this.next;
    return this.next;
  }

  async adopt(attemptIds: readonly AttemptId[], observer: CommandObserver): Promise<CommandEnd | undefined> {
    this.asked.push(`adopt ${attemptIds.join(' ')}`);
    this.observer = observer;
    const known = attemptIds.find((id) => this.left.has(id));
    return known && this.left.get(known);
  }

  async sweep(): Promise<void> {
    this.asked.push('sweep');
  }

  keepAlive(): void {}
  async release(): Promise<void> {}
  async remove(): Promise<void> {}
}

/** The end of a command that wrote this text. */
export function ended(text: string, rest: Partial<CommandEnd> = { exitCode: 0 }): CommandEnd {
  const bytes = Buffer.from(text);
  const tail = async (max: number) => bytes.subarray(Math.max(0, bytes.length - max)).toString();
  const output = { bytes: bytes.length, truncated: false, tail, read: async () => bytes };
  return { termination: 'exited', durationMs: 40, output, ...rest };
}
