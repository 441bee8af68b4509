import pc from 'picocolors';
import { LiveLine } from './live-line.js';
import type { Sink } from './sink.js';

export type TerminalPaint = ReturnType<typeof pc.createColors>;

const PIPE_WIDTH = 120;

/** Where a command speaks: results on stdout, everything else on stderr. Colour and movement only on a terminal. */
export class Screen {
  readonly paint: TerminalPaint;
  /** Whether a line may be painted again and again. */
  readonly isLive: boolean;

  constructor(
    private readonly stdout: Sink,
    private readonly stderr: Sink,
    env: NodeJS.ProcessEnv,
  ) {
    this.isLive = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
    this.paint = pc.createColors(this.isLive);
  }

  get width(): number {
    return this.stdout.columns || PIPE_WIDTH;
  }

  result(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  /** One JSON document on a line of its own. */
  json(value: unknown): void {
    this.result(JSON.stringify(value));
  }

  hint(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  /** A last line that shows what is going on. It stands still, unseen, where nothing may move. */
  liveLine(render: (frame: string) => string): LiveLine {
    return new LiveLine(this.isLive ? this.stdout : undefined, render);
  }
}
