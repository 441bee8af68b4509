import { open } from 'node:fs/promises';
import { cleanText } from '#libs/kernel';
import { leftOut, readBytes } from './kept-command-output.js';

const BATCH_BYTES = 64 * 1024;
/** A reader further behind than this goes on with the last batch: whoever watches wants to see what happens now. */
const MAX_BEHIND_BYTES = 1024 * 1024;

/**
 * Reads an output while it grows and hands it on as text in batches of at most 64 KiB, decoded across their borders and
 * safe to store. Each reader sees the output from its beginning, and a line where it fell behind and left some out.
 */
export class OutputFollower {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private goal = 0;
  private shown = 0;
  private reading: Promise<void> | undefined;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly path: string,
    private readonly onOutput: (text: string) => void,
  ) {}

  /** The output has grown to this many bytes. */
  advance(bytes: number): void {
    this.goal = Math.max(this.goal, bytes);
    this.reading ??= this.read()
      .catch((error: unknown) => (this.failure = { error }))
      .then(() => (this.reading = undefined));
  }

  /** Resolves when everything up to the end was handed on; rejects with what went wrong on the way. */
  async finish(bytes: number): Promise<void> {
    for (this.advance(bytes); this.reading; this.advance(bytes)) {
      await this.reading;
      if (this.failure) throw this.failure.error;
      if (this.shown >= bytes) break;
    }
    this.show(this.decoder.decode());
  }

  private async read(): Promise<void> {
    if (this.shown === this.goal) return;
    const file = await open(this.path);
    try {
      while (this.shown < this.goal) {
        this.catchUp();
        const to = Math.min(this.goal, this.shown + BATCH_BYTES);
        const bytes = await readBytes(file, this.shown, to);
        this.shown = to;
        this.show(this.decoder.decode(bytes, { stream: true }));
      }
    } finally {
      await file.close();
    }
  }

  private catchUp(): void {
    if (this.goal - this.shown <= MAX_BEHIND_BYTES) return;
    const next = this.goal - BATCH_BYTES;
    this.show(this.decoder.decode() + leftOut(next - this.shown));
    this.shown = next;
  }

  private show(text: string): void {
    if (text !== '') this.onOutput(cleanText(text));
  }
}
