import type { ObjectStore, RunKey } from '#libs/engine';
import { keptReferencesOf, readReference } from '#libs/events';
import { outputsFolder } from '../runs/run-outputs.js';

/** Gives a run its own copies of the large values that the history it begins with refers to, each once. */
export class KeptCopies {
  private readonly copied = new Set<string>();

  constructor(
    private readonly objects: ObjectStore,
    private readonly from: RunKey,
    private readonly to: RunKey,
  ) {}

  /** Copies what the server wrote references to into an event. Copying again is harmless; what is gone stays so. */
  async madeFor(event: { event: string; properties?: unknown }): Promise<void> {
    for (const reference of keptReferencesOf(event)) {
      const { digest } = readReference(reference) ?? {};
      if (digest === undefined || this.copied.has(digest)) continue;
      this.copied.add(digest);
      const value = await this.objects.get(`${outputsFolder(this.from)}blobs/${digest}`);
      if (value) await this.objects.put(`${outputsFolder(this.to)}blobs/${digest}`, value);
    }
  }
}
