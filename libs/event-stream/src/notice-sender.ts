import type { EventNotice } from '#libs/engine';
import { packNotices } from './notice-codec.js';
import { runKey } from './run-key.js';
import { merged } from './notice-windows.js';

/** Runs that may wait for their turn; the memory this takes is the most an outage can cost. */
const MAX_WAITING = 10_000;

/**
 * Sends one payload at a time. What comes meanwhile waits, merged by run, and goes together in the next; what cannot
 * be sent is dropped, because a reader that hears nothing looks at the log by itself.
 */
export class NoticeSender {
  private readonly waiting = new Map<string, EventNotice>();
  private sending = false;

  constructor(
    private readonly origin: string,
    private readonly send: (payload: string) => Promise<void>,
  ) {}

  add(notice: EventNotice): void {
    const key = runKey(notice);
    if (this.waiting.size >= MAX_WAITING && !this.waiting.has(key)) return;
    this.waiting.set(key, merged(this.waiting.get(key), notice));
    if (this.sending) return;
    this.sending = true;
    // In a microtask, so that notices published together travel together.
    queueMicrotask(() => void this.drain());
  }

  drop(): void {
    this.waiting.clear();
  }

  private async drain(): Promise<void> {
    while (this.waiting.size > 0) {
      const { payload, packed } = packNotices(this.origin, [...this.waiting.values()].slice(0, 200));
      for (const key of [...this.waiting.keys()].slice(0, packed)) this.waiting.delete(key);
      try {
        await this.send(payload);
      } catch {
        this.drop();
      }
    }
    this.sending = false;
  }
}
