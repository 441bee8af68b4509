import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runyard } from '../../../apps/cli/src/program.js';
import { aTerminal } from './a-terminal.js';
import { CapturedScreen } from './captured-screen.js';
import { FakeServer } from './fake-server.js';

interface Typing {
  /** What a person then types at the terminal, if one sits there. */
  lines?: readonly string[] | undefined;
  /** What comes through the pipe. */
  piped?: readonly string[];
}

/** A command line in an empty home, in front of a server that says what a spec has it say. */
export class CommandLine {
  /** What was written since the screen was last cleared. */
  screen = new CapturedScreen();

  private constructor(
    readonly server: FakeServer,
    /** Where it is typed, too. */
    readonly home: string,
  ) {}

  static async open(): Promise<CommandLine> {
    return new CommandLine(await FakeServer.listen(), await mkdtemp(join(tmpdir(), 'runyard-')));
  }

  clear(): void {
    this.screen = new CapturedScreen();
  }

  /** Resolves with the exit code. */
  type(words: readonly string[], { lines, piped = [] }: Typing = {}): Promise<number> {
    const env = { RUNYARD_HOME: this.home, RUNYARD_SERVER: this.server.url, RUNYARD_TOKEN: 'service_dev_x' };
    const terminal = lines && aTerminal(...lines);
    const stdin = Readable.from(piped);
    return runyard([...words], { env, cwd: this.home, stdin, screen: this.screen, ...(terminal && { terminal }) });
  }

  async close(): Promise<void> {
    await this.server.close();
    await rm(this.home, { recursive: true });
  }
}
