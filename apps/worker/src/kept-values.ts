import { createHash } from 'node:crypto';
import type { ObjectStore, RunKey } from '#libs/engine';
import { cleanText, isJsonObject, type Json } from '#libs/kernel';

/** What is kept is text; JSON is marked as such. */
const REFERENCE = /^blob:\/\/sha256\/([0-9a-f]{64})(#json)?$/;

/** A single value, and all values of one outcome together, that still travel inside an event. */
const MAX_VALUE_BYTES = 100 * 1024;
const MAX_VALUES_BYTES = 128 * 1024;

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

  /** The values with those kept that are too large for an event, the largest first. */
  async fit(values: Readonly<Record<string, Json>>): Promise<Record<string, Json>> {
    const sized = Object.entries(values).map(([key, value]) => ({ key, value, bytes: sizeOf(value) }));
    sized.sort((a, b) => b.bytes - a.bytes);
    let total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
    const fitting: Record<string, Json> = { ...values };
    for (const { key, value, bytes } of sized) {
      if (bytes <= MAX_VALUE_BYTES && total <= MAX_VALUES_BYTES) break;
      fitting[key] = await this.keepJson(value);
      total -= bytes;
    }
    return fitting;
  }

  /** A value with what its references stand for, wherever in it they are; one whose object is gone stays as it is. */
  async resolve(value: Json): Promise<Json>;
  async resolve(value: Json | undefined): Promise<Json | undefined>;
  async resolve(value: Json | undefined): Promise<Json | undefined> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.resolve(item)));
    if (isJsonObject(value)) {
      const members = Object.entries(value).map(async ([key, member]) => [key, await this.resolve(member)] as const);
      return Object.fromEntries(await Promise.all(members));
    }
    const text = await this.text(value);
    if (text === undefined) return value;
    return (value as string).endsWith('#json') ? this.resolve(JSON.parse(text) as Json) : text;
  }

  /** The text behind a reference; undefined when it is none, or what it names is gone. */
  async text(value: Json | undefined): Promise<string | undefined> {
    const digest = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
    const bytes = digest === undefined ? undefined : await this.objects.get(this.keyOf(digest));
    return bytes && cleanText(Buffer.from(bytes).toString());
  }

  private async keepJson(value: Json): Promise<string> {
    if (typeof value === 'string') return this.keep(Buffer.from(value));
    return `${await this.keep(Buffer.from(JSON.stringify(value)))}#json`;
  }

  private keyOf(digest: string): string {
    return `${prefixOf(this.run)}blobs/${digest}`;
  }
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Every object of a run has a key that begins so. */
export function prefixOf({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}
