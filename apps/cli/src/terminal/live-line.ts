import type { Sink } from './sink.js';

const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const FRAME_MS = 80;
/** Clears the line in which the cursor stands. */
export const ERASE = '\r\u001b[2K';

/** A line at the bottom of a terminal that is painted again every 80 ms. Anything else is printed above it. */
export class LiveLine {
  private frame = 0;
  private readonly timer: NodeJS.Timeout | undefined;

  /** Without a stream there is no line: {@link above} just prints. */
  constructor(
    private readonly stream: Sink | undefined,
    private readonly render: (frame: string) => string,
  ) {
    if (!stream) return;
    this.timer = setInterval(() => this.paint(), FRAME_MS);
    this.timer.unref();
  }

  /** Prints with the line out of the way. */
  above(print: () => void): void {
    this.erase();
    print();
  }

  stop(): void {
    clearInterval(this.timer);
    this.erase();
  }

  private paint(): void {
    const frame = FRAMES[this.frame++ % FRAMES.length] ?? '';
    this.stream?.write(`${ERASE}${this.render(frame)}`);
  }

  private erase(): void {
    this.stream?.write(ERASE);
  }
}
