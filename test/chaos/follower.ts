import { createParser } from 'eventsource-parser';
import { setTimeout as sleep } from 'node:timers/promises';

/** An event as a stream tells it. */
export interface StreamedEvent {
  seq: number;
  id: string;
  event: string;
  properties?: Record<string, unknown>;
}

export interface FollowerOptions {
  /** The API processes, any of which may answer. */
  urls: readonly string[];
  token: string;
  runId: string;
  hear?: (event: StreamedEvent) => void;
  /** How long it waits between reads, as a slow reader does. */
  slowMs?: number;
}

/** A stream that says nothing, not even that it is still there, is a dead one. */
const SILENCE_MS = 20_000;
const END = new Set(['run.completed', 'run.failed']);

/** Follows the log of one run to its end, over as many connections as it takes. */
export class Follower {
  /** Each event in the order in which it came: `seq` and `id`. */
  readonly seen: { seq: number; id: string }[] = [];
  connections = 0;
  /** Resolves at the end of the run, or when it is closed. */
  readonly done: Promise<void>;
  private readonly closing = new AbortController();
  private over = false;

  constructor(private readonly options: FollowerOptions) {
    this.done = this.follow();
  }

  /** Whether the end of the run was told. */
  get sawEnd(): boolean {
    return this.over;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.done;
  }

  private async follow(): Promise<void> {
    while (!this.over && !this.closing.signal.aborted) {
      await this.connect().catch(() => undefined);
      if (!this.over) await sleep(200, undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }

  private async connect(): Promise<void> {
    const { urls, token, runId, slowMs = 0 } = this.options;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const last = this.seen.at(-1)?.seq;
      const url = `${urls[this.connections++ % urls.length]}/api/v1/runs/${runId}/attach`;
      const response = await fetch(url, {
        headers: { authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': String(last) }) },
        signal: AbortSignal.any([silence.signal, this.closing.signal]),
      });
      if (!response.ok) return void (await response.body?.cancel());
      const parser = createParser({ onEvent: ({ data }) => this.take(JSON.parse(data) as StreamedEvent) });
      const text = new TextDecoder();
      for await (const chunk of response.body!) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        parser.feed(text.decode(chunk as Uint8Array, { stream: true }));
        if (slowMs > 0) await sleep(slowMs);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private take(event: StreamedEvent): void {
    this.seen.push({ seq: event.seq, id: event.id });
    if (END.has(event.event)) this.over = true;
    this.options.hear?.(event);
  }
}
