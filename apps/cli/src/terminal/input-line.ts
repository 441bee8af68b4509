import { createInterface, type Interface } from 'node:readline';
import { ERASE } from './live-line.js';

/** Where a person reads and types. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

const PROMPT = '  > ';

/** A line at the bottom of a terminal in which a person types. Anything else is printed above it. */
export class InputLine {
  private readonly lines: Interface;

  constructor(private readonly terminal: Terminal) {
    this.lines = createInterface({ ...terminal, prompt: PROMPT });
  }

  /** What was typed; undefined when the person left it with Ctrl-C or Ctrl-D, or it was stopped. */
  read(): Promise<string | undefined> {
    this.lines.prompt();
    return new Promise((resolve) => {
      this.lines.once('line', resolve);
      this.lines.once('close', () => resolve(undefined));
    });
  }

  /** Prints with the line out of the way; what was typed so far comes back. */
  above(print: () => void): void {
    this.terminal.output.write(ERASE);
    print();
    this.lines.prompt(true);
  }

  stop(): void {
    this.lines.close();
    this.terminal.output.write(ERASE);
  }
}
