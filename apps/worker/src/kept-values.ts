import { createHash } from 'node:crypto';
import type { ObjectStore, RunKey } from '#libs/engine';
import { MAX_VALUE_BYTES, MAX_VALUES_BYTES } from '#libs/events';
import {
  cleanText,
  isJsonObject,
  jsonBytes,
  maskTokenBytes,
  maskTokensIn,
  RunyardError,
  type Json,
} from '#libs/kernel';

/** What is kept is text; JSON is marked as such. */
const REFERENCE = /^blob:\/\/sha256\/([0-9a-f]{64})(#json)?$/;

/** So many values, or keys so long, that no event could even name them all. */
class TooManyValuesError extends RunyardError {
  readonly kind = 'tooLarge';

  constructor(count: number) {
    super(
      `The ${count} context values of this stage do not fit into one event, even by reference; write fewer, larger ones.`,
    );
  }
}

/** What a reference takes inside an event; and colon and comma of a member. */
const REFERENCE_BYTES = 85;
const SEPARATORS = 2;

/** Large values of one run, kept in the object store by content. They are removed together with the run. */
export class KeptValues {
  constructor(
    private readonly objects: ObjectStore,
    private readonly run: RunKey,
  ) {}

  /** Keeps a value, tokens masked, and returns its reference. Keeping the same value again is harmless. */
  async keep(whole: Uint8Array): Promise<string> {
    const value = maskTokenBytes(whole);
    const digest = createHash('sha256').update(value).digest('hex');
    await this.objects.put(this.keyOf(digest), value);
    return `blob://sha256/${digest}`;
  }

  /**
   * The values, tokens masked, with those kept that are too large for an event, the largest first. Rejects where their keys and
   * references alone are too large, and kept nothing then.
   */
  async fit(all: Readonly<Record<string, Json>>): Promise<Record<string, Json>> {
    const values = maskTokensIn(all);
    const sized = Object.entries(values).map(([key, value]) => ({ key, value, bytes: jsonBytes(value) }));
    sized.sort((a, b) => b.bytes - a.bytes);
    let total = sized.reduce((sum, { key, bytes }) => sum + jsonBytes(key) + bytes + SEPARATORS, SEPARATORS);
    const large = sized.filter(({ bytes }) => {
      if (bytes <= MAX_VALUE_BYTES && total <= MAX_VALUES_BYTES) return false;
      total -= Math.max(0, bytes - REFERENCE_BYTES);
      return true;
    });
    if (total > MAX_VALUES_BYTES) throw new TooManyValuesError(sized.length);
    const fitting: Record<string, Json> = { ...values };
    for (const { key, value } of large) fitting[key] = await this.keepJson(value);
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

/** Every object of a run has a key that begins so. */
export function prefixOf({ tenantId, runId }: RunKey): string {
  return `${tenantId}/runs/${runId}/`;
}
