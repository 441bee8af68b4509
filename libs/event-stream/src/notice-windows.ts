import type { EventNotice } from '#libs/engine';
import { runKey } from './run-key.js';

const WINDOW_MS = 20;

interface Window {
  endsAt: number;
  notice: EventNotice | undefined;
}

/** One notice that says what two of one run say. */
export function merged(one: EventNotice | undefined, other: EventNotice): EventNotice {
  if (!one) return other;
  return { ...one, fromSeq: Math.min(one.fromSeq, other.fromSeq), toSeq: Math.max(one.toSeq, other.toSeq) };
}

/**
 * Thins the notices of each run: the first goes on at once and opens a window; what comes within the window goes on
 * as one notice at its end, which opens the next.
 */
export class NoticeWindows {
  /** In the order of their ends, because every window is equally long. */
  private readonly windows = new Map<string, Window>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly pass: (notice: EventNotice) => void) {}

  add(notice: EventNotice): void {
    const key = runKey(notice);
    const window = this.windows.get(key);
    if (window) window.notice = merged(window.notice, notice);
    else this.passAndOpen(key, notice);
  }

  close(): void {
    clearTimeout(this.timer);
    this.windows.clear();
  }

  private passAndOpen(key: string, notice: EventNotice): void {
    this.pass(notice);
    this.windows.set(key, { endsAt: performance.now() + WINDOW_MS, notice: undefined });
    this.timer ??= setTimeout(() => this.endWindows(), WINDOW_MS);
  }

  private endWindows(): void {
    const now = performance.now();
    const ended = [...this.windows].filter(([, { endsAt }]) => endsAt <= now);
    for (const [key] of ended) this.windows.delete(key);

    const [next] = this.windows.values();
    this.timer = next && setTimeout(() => this.endWindows(), next.endsAt - now);
    for (const [key, { notice }] of ended) if (notice) this.passAndOpen(key, notice);
  }
}
