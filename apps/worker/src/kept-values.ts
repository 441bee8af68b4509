import { createHash } from 'node:crypto';
import type { ObjectStore, RunKey } from '#libs/engine';
import { cleanText, type Json } from '#libs/kernel';

const REFERENCE = /^blob:\/\/sha256\/([0-9a-f]{64})$/;

/** Large values of one run, kept in the object store by content. They are removed together with the run. */
export class KeptValues {
  constructor(
    private readonly objects: ObjectStore,
    private readonly run: RunKey,
  ) {}

  /** Keeps a value and returns its reference. Keeping the same value again is harmless. */
  async keep(value: Uint8Array): Promise<string> {
    const digest = createHash('sha256').update(value).digest('hex');
    await this.objects.put(this.keyOf(digest), value);
    return `blob://sha256/${digest}`;
  }

  /** The text behind a reference, or the value itself when it is none (or what it names is gone). */
  async resolve(value: Json | undefined): Promise<Json | undefined> {
    const digest = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
    if (digest === undefined) return value;
    const bytes = await this.objects.get(this.keyOf(digest));
    return bytes === undefined ? value : cleanText(Buffer.from(bytes).toString());
  }

  private keyOf(digest: string): string {
    return `${prefixOf(this.run)}blobs/${digest}`;
  }
}

/** Every object of a run has a key that begins so. */
export function prefixOf({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}
