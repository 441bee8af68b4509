import { LRUCache } from 'lru-cache';
import type { LogPage } from './log-page.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** Holds the pages that were used last, of all logs together: 16 MiB of them, or the last one where that is larger. */
export class PageCache {
  private readonly pages = new LRUCache<LogPage, () => void>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, { bytes }) => Math.min(Math.max(bytes, 1), MAX_BYTES),
    dispose: (drop, _, reason) => {
      if (reason === 'evict') drop();
    },
  });

  /** Puts a page where the newest are, with the bytes it has now; `drop` is called when it has to go. */
  use(page: LogPage, drop: () => void): void {
    // The cache measures what is new to it only.
    this.pages.delete(page);
    this.pages.set(page, drop);
  }

  remove(page: LogPage): void {
    this.pages.delete(page);
  }
}
