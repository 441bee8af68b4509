import { open, type FileHandle } from 'node:fs/promises';
import { type CommandOutput, SandboxUnavailableError } from '#libs/engine';
import { cleanText } from '#libs/kernel';
import { HEAD_BYTES, isTruncated, slicesOf, tailStart } from '../runner/kept-output.js';

/** The output of a command that has ended, read from the file its runner kept. */
export class KeptCommandOutput implements CommandOutput {
  constructor(
    private readonly path: string,
    readonly bytes: number,
  ) {}

  get truncated(): boolean {
    return isTruncated(this.bytes);
  }

  async tail(maxBytes: number): Promise<string> {
    const from = Math.max(0, this.bytes - maxBytes, this.truncated ? tailStart(this.bytes) : 0);
    const bytes = await this.readRanges([from, this.bytes]);
    return cleanText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromFirstCharacter(bytes, from > 0)));
  }

  /** The kept bytes; where the middle was dropped, a line between head and tail tells how much. */
  async read(): Promise<Uint8Array> {
    if (!this.truncated) return this.readRanges([0, this.bytes]);
    const from = tailStart(this.bytes);
    const [head, tail] = await Promise.all([this.readRanges([0, HEAD_BYTES]), this.readRanges([from, this.bytes])]);
    return Buffer.concat([head, Buffer.from(leftOut(from - HEAD_BYTES)), tail]);
  }

  private async readRanges([from, to]: [number, number]): Promise<Buffer> {
    if (to <= from) return Buffer.alloc(0);
    let file: FileHandle | undefined;
    try {
      file = await open(this.path);
      return await readBytes(file, from, to);
    } catch (cause) {
      throw new SandboxUnavailableError('The output of the command is gone with its sandbox.', { cause });
    } finally {
      await file?.close();
    }
  }
}

/** The bytes `[from, to)` of an output, as far as they are in its file. */
export async function readBytes(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  let filled = 0;
  for (const { position, length } of slicesOf(from, to)) {
    for (let done = 0; done < length;) {
      const { bytesRead } = await file.read(bytes, filled, length - done, position + done);
      if (bytesRead === 0) return bytes.subarray(0, filled);
      done += bytesRead;
      filled += bytesRead;
    }
  }
  return bytes;
}

/** Says, on a line of its own, that a part of an output is missing here. */
export function leftOut(bytes: number): string {
  return `\n[${bytes} bytes left out]\n`;
}

/** A cut through the middle of a character leaves up to three bytes of it at the front. */
function fromFirstCharacter(bytes: Uint8Array, isCut: boolean): Uint8Array {
  let start = 0;
  while (isCut && start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
