import { type LogPage } from './log-page.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** Holds the pages that were used last, of all logs together, and at most 16 MiB of them. */
export class Shelf {
  private readonly pages = new Map<LogPage, { bytes: number; drop: () => void }>();
  private bytes = 0;

  /** Puts a page where the newest are, with the bytes it has now; `drop` is called when it has to go. */
  use(page: LogPage, drop: () => void): void {
    this.remove(page);
    this.pages.set(page, { bytes: page.bytes, drop });
    this.bytes += page.bytes;
    for (const [oldest, { drop: dropOldest }] of this.pages) {
      if (this.bytes <= MAX_BYTES || oldest === page) break;
      this.remove(oldest);
      dropOldest();
    }
  }

  remove(page: LogPage): void {
    const held = this.pages.get(page);
    if (!held) return;
    this.pages.delete(page);
    this.bytes -= held.bytes;
  }
}
