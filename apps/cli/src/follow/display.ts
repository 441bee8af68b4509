import { InputLine, type Terminal } from '../terminal/input-line.js';
import type { LiveLine } from '../terminal/live-line.js';
import type { Screen } from '../terminal/screen.js';

/** What a followed run is shown on: lines that stay, and below them one that moves or in which a person types. */
export class Display {
  private bottom: LiveLine | InputLine;
  private isStopped = false;

  constructor(
    private readonly screen: Screen,
    private readonly status: (frame: string) => string,
  ) {
    this.bottom = screen.liveLine(status);
  }

  print(lines: readonly string[]): void {
    if (lines.length > 0) this.bottom.above(() => this.screen.result(lines.join('\n')));
  }

  /** The line that a person types; undefined when they left, or when {@link withdraw} was faster. */
  async read(terminal: Terminal): Promise<string | undefined> {
    const input = new InputLine(terminal);
    this.turnTo(input);
    try {
      return await input.read();
    } finally {
      if (!this.isStopped) this.turnTo(this.screen.liveLine(this.status));
    }
  }

  /** Takes back what is asked, if anything is. */
  withdraw(): void {
    if (this.bottom instanceof InputLine) this.bottom.stop();
  }

  stop(): void {
    this.isStopped = true;
    this.bottom.stop();
  }

  private turnTo(bottom: LiveLine | InputLine): void {
    this.bottom.stop();
    this.bottom = bottom;
  }
}
