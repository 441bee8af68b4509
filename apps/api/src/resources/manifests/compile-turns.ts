import { setImmediate } from 'node:timers/promises';
import type { RunManifestRequest } from './dto/run-manifest.js';

/** What is compiled within a few milliseconds, in characters. */
const SMALL = 16 * 1024;

/** Lets large manifests be compiled one in each turn of the event loop, so that other requests are answered in between. */
export class CompileTurns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when this manifest may be compiled, which has to begin at once; a small one need not wait. */
  async wait(manifest: Pick<RunManifestRequest, 'workflows'>): Promise<void> {
    if (isSmall(manifest)) return;
    this.last = this.last.then(() => setImmediate());
    await this.last;
  }
}

function isSmall({ workflows }: Pick<RunManifestRequest, 'workflows'>): boolean {
  let size = 0;
  for (const { source, files = {} } of Object.values(workflows)) {
    size += source.length;
    for (const { content } of Object.values(files)) size += content.length;
  }
  return size <= SMALL;
}
