import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { coldLineOf, type ColdEvent } from '../log/cold-events.js';
import type { LogPart } from '../log/cold-mark.js';

/** Text of one part: small enough to be fetched for one page, large enough to be compressed well. */
const PART_CHARACTERS = 512 * 1024;

const compress = promisify(gzip);

/** A log as it lies in the object store: lines of JSON, compressed part by part. Any tool for gzip reads the whole. */
export interface PackedLog {
  body: Uint8Array;
  parts: LogPart[];
  /** Of the lines, not of the compressed bytes. */
  sha256: string;
}

/** Packs the events of a log from `fromSeq` on. Throws when one is missing in between or at the end. */
export async function packLog(events: AsyncIterable<ColdEvent>, toSeq: number, fromSeq = 1): Promise<PackedLog> {
  const packer = new Packer(fromSeq);
  for await (const event of events) await packer.add(event);
  return packer.finish(toSeq);
}

class Packer {
  private readonly chunks: Uint8Array[] = [];
  private readonly parts: LogPart[] = [];
  private readonly digest = createHash('sha256');
  private text = '';
  private firstSeq: number;
  private nextSeq: number;
  private bytes = 0;

  constructor(fromSeq: number) {
    this.firstSeq = fromSeq;
    this.nextSeq = fromSeq;
  }

  async add(event: ColdEvent): Promise<void> {
    if (event.seq !== this.nextSeq) throw new RangeError(`Event ${event.seq} stands where ${this.nextSeq} should be.`);
    this.nextSeq++;
    this.text += `${coldLineOf(event)}\n`;
    if (this.text.length >= PART_CHARACTERS) await this.endPart();
  }

  async finish(toSeq: number): Promise<PackedLog> {
    if (this.nextSeq !== toSeq + 1)
      throw new RangeError(`The log ends before event ${this.nextSeq}, not after ${toSeq}.`);
    if (this.text !== '') await this.endPart();
    return { body: Buffer.concat(this.chunks), parts: this.parts, sha256: this.digest.digest('hex') };
  }

  private async endPart(): Promise<void> {
    this.digest.update(this.text);
    const chunk = await compress(this.text);
    this.chunks.push(chunk);
    this.parts.push({ firstSeq: this.firstSeq, start: this.bytes, end: this.bytes + chunk.length });
    this.bytes += chunk.length;
    this.firstSeq = this.nextSeq;
    this.text = '';
  }
}
