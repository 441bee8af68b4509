import type { EventNotice } from '#libs/engine';
import { packNotices } from './notice-codec.js';
import { runKey } from './run-key.js';
import { merged } from './notice-windows.js';

/** Notices that wait for their turn or for a reply, on all channels; the memory this takes is the most an outage can cost. */
const MAX_HELD = 10_000;

type Waiting = Map<string, EventNotice>;

/**
 * Sends one payload at a time on each channel, so that the notices of a run stay in order. What comes meanwhile waits,
 * merged by run, and goes together in the next; what cannot be sent is dropped, because a reader that hears nothing looks
 * at the log by itself. A channel with nothing to send takes nothing.
 */
export class NoticeSender {
  private readonly channels = new Map<string, Waiting>();
  private held = 0;

  constructor(
    private readonly origin: string,
    private readonly send: (channel: string, payload: string) => Promise<void>,
  ) {}

  add(channel: string, notice: EventNotice): void {
    const key = runKey(notice);
    const earlier = this.channels.get(channel)?.get(key);
    if (!earlier && this.held >= MAX_HELD) return;
    if (!earlier) this.held += 1;
    const waiting = this.channels.get(channel) ?? this.open(channel);
    waiting.set(key, merged(earlier, notice));
  }

  drop(): void {
    for (const waiting of this.channels.values()) this.dropAll(waiting);
  }

  private open(channel: string): Waiting {
    const waiting: Waiting = new Map();
    this.channels.set(channel, waiting);
    // In a microtask, so that notices published together travel together.
    queueMicrotask(() => void this.drain(channel, waiting));
    return waiting;
  }

  private async drain(channel: string, waiting: Waiting): Promise<void> {
    while (waiting.size > 0) {
      const { payload, packed } = packNotices(this.origin, [...waiting.values()].slice(0, 200));
      for (const key of [...waiting.keys()].slice(0, packed)) waiting.delete(key);
      try {
        await this.send(channel, payload);
      } catch {
        this.dropAll(waiting);
      }
      this.held -= packed;
    }
    this.channels.delete(channel);
  }

  private dropAll(waiting: Waiting): void {
    this.held -= waiting.size;
    waiting.clear();
  }
}
