import type { ObjectStore, RunKey } from '#libs/engine';
import { outputsFolder } from './run-outputs.js';

const REFERENCE = /blob:\/\/sha256\/([0-9a-f]{64})/g;

/** Gives a run its own copies of the large values that the history it begins with refers to, each once. */
export class KeptCopies {
  private readonly copied = new Set<string>();

  constructor(
    private readonly objects: ObjectStore,
    private readonly from: RunKey,
    private readonly to: RunKey,
  ) {}

  /** Copies what a text refers to, and what that refers to. Copying again is harmless; what is gone stays so. */
  async madeFor(text: string): Promise<void> {
    for (const [, digest = ''] of text.matchAll(REFERENCE)) {
      if (this.copied.has(digest)) continue;
      this.copied.add(digest);
      const value = await this.objects.get(`${outputsFolder(this.from)}blobs/${digest}`);
      if (!value) continue;
      await this.objects.put(`${outputsFolder(this.to)}blobs/${digest}`, value);
      await this.madeFor(Buffer.from(value).toString());
    }
  }
}
