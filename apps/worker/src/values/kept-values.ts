import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ObjectStore, RunKey } from '#libs/engine';
import { readReference, referenceTo } from '#libs/events';
import { cleanText, maskTokenBytes, type Json } from '#libs/kernel';

/** There is more of a value than its reader takes. */
export const TOO_LARGE = Symbol('too large');

/** Of a long text so much is read at once. */
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Large values of one run, kept in the object store by content. They are removed together with the run. A
 * reference is only a name here: the caller has to know that it is one.
 */
export class KeptValues {
  constructor(
    private readonly objects: ObjectStore,
    private readonly run: RunKey,
  ) {}

  /** Keeps a text, tokens masked, and returns its reference. Keeping the same text again is harmless. */
  keep(text: Uint8Array): Promise<string> {
    return this.put(maskTokenBytes(text), false);
  }

  /** Keeps a value as it is and returns its reference, with the bytes that it stands for. */
  async keepValue(value: Json): Promise<{ reference: string; bytes: number }> {
    const isText = typeof value === 'string';
    const body = Buffer.from(isText ? value : JSON.stringify(value));
    return { reference: await this.put(body, !isText), bytes: body.byteLength };
  }

  /** The text behind a reference, unless that is more than so many bytes; undefined when what it names is gone. */
  async text(reference: string, maxBytes: number): Promise<string | typeof TOO_LARGE | undefined> {
    const bytes = await this.part(reference, 0, maxBytes + 1);
    if (bytes && bytes.byteLength > maxBytes) return TOO_LARGE;
    return bytes && cleanText(Buffer.from(bytes).toString());
  }

  /** The text up to so many bytes of it; undefined when what the reference names is gone. */
  async beginning(reference: string, maxBytes: number): Promise<string | undefined> {
    const bytes = await this.part(reference, 0, maxBytes);
    return bytes && cleanText(new TextDecoder().decode(bytes, { stream: true }));
  }

  /** The end of a long text, in lines, and how many come before it; undefined when it is gone. Little of it is held at once. */
  async end(reference: string, maxBytes: number): Promise<{ end: string; linesBefore: number } | undefined> {
    let tail: Uint8Array = new Uint8Array();
    let linesBefore = 0;
    for (let at = 0; ; at += PIECE_BYTES) {
      const piece = await this.part(reference, at, at + PIECE_BYTES);
      if (!piece) return undefined;
      const read = Buffer.concat([tail, piece]);
      const cut = Math.max(0, read.byteLength - maxBytes);
      linesBefore += newlinesIn(read.subarray(0, cut));
      tail = read.subarray(cut);
      if (piece.byteLength < PIECE_BYTES) return { end: cleanText(Buffer.from(tail).toString()), linesBefore };
    }
  }

  private async put(body: Uint8Array, isJson: boolean): Promise<string> {
    const digest = await digestOf(body);
    await this.objects.put(this.keyOf(digest), body);
    return referenceTo(digest, isJson);
  }

  private async part(reference: string, start: number, end: number): Promise<Uint8Array | undefined> {
    const named = readReference(reference);
    return named && this.objects.getRange(this.keyOf(named.digest), start, end);
  }

  private keyOf(digest: string): string {
    return `${prefixOf(this.run)}blobs/${digest}`;
  }
}

/** Every object of a run has a key that begins so. */
export function prefixOf({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}

/** Piece by piece, so that nobody else has to wait for all of it. */
async function digestOf(body: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) {
    if (at > 0) await setImmediate();
    hash.update(body.subarray(at, at + PIECE_BYTES));
  }
  return hash.digest('hex');
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
