import { closeSync, openSync, writeSync } from 'node:fs';
import { slicesOf } from './kept-output.js';

/** The file an output is kept in. It comes into being with the first byte and never grows beyond head and tail. */
export class OutputFile {
  private file: number | undefined;
  private written = 0;

  constructor(private readonly path: string) {}

  /** All bytes appended so far, kept or not. */
  get bytes(): number {
    return this.written;
  }

  append(chunk: Uint8Array): void {
    this.file ??= openSync(this.path, 'w', 0o600);
    let offset = 0;
    for (const { position, length } of slicesOf(this.written, this.written + chunk.length)) {
      writeAll(this.file, chunk.subarray(offset, offset + length), position);
      offset += length;
    }
    this.written += chunk.length;
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function writeAll(file: number, chunk: Uint8Array, position: number): void {
  for (let done = 0; done < chunk.length;) {
    done += writeSync(file, chunk, done, chunk.length - done, position + done);
  }
}
