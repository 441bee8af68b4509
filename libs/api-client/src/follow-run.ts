import { setTimeout as sleep } from 'node:timers/promises';
import { type RunyardClient } from './client.js';
import { RunyardApiError, unwrap } from './errors.js';
import { eventsIn } from './event-stream.js';
import { type EventEnvelope } from './event-envelope.js';
import { isTextDelta, type TextDelta } from './text-delta.js';

export interface FollowOptions {
  /** The first event to yield; 1 when absent. */
  sinceSeq?: number;
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Called when the server is out of reach, and again when the run is followed on. */
  onConnection?: (state: 'lost' | 'restored') => void;
  /** How long a server may not answer before it is given up; {@link PATIENCE_MS} when absent. */
  patienceMs?: number;
  /** Called with what models say while they say it; nothing of it is asked for when absent. */
  onText?: (delta: TextDelta) => void;
}

/** A server did not answer for as long as it was waited for; the run may go on without being followed. */
export class ServerAwayError extends Error {
  override readonly name = 'ServerAwayError';

  constructor(
    readonly runId: string,
    readonly patienceMs: number,
  ) {
    super(`The server has not answered for ${Math.round(patienceMs / 1000)} s.`);
  }
}

/** How far a follower has come, and what ends its calls. */
interface Position {
  last: number;
  signal: AbortSignal;
}

/** Longer than a server takes to be restarted, shorter than a person or a job waits for nothing. */
export const PATIENCE_MS = 120_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/**
 * A run's events, each once and in order, until the run is over. A connection that breaks is taken up again after the
 * last event that was yielded. Throws when the first attempt fails, whenever the server refuses, and a
 * {@link ServerAwayError} when it has not answered for as long as `patienceMs`.
 */
export async function* followRun(
  client: RunyardClient,
  runId: string,
  { sinceSeq = 1, signal: stop, onText, onConnection, patienceMs = PATIENCE_MS }: FollowOptions = {},
): AsyncGenerator<EventEnvelope, void, undefined> {
  const signal = stop ?? null;
  const patience = new Patience(runId, patienceMs, signal);
  let last = sinceSeq - 1;
  let failures = 0;
  let isLost = false;
  for (let attached = false; !signal?.aborted;) {
    try {
      const stream = await patience.with((until) =>
        attach(client, runId, { last, deltas: onText !== undefined, signal: until }),
      );
      attached = true;
      if (isLost) onConnection?.('restored');
      isLost = false;
      for await (const event of eventsIn(stream)) {
        if (isTextDelta(event)) {
          onText?.(event);
          continue;
        }
        if (event.seq <= last) continue;
        last = event.seq;
        failures = 0;
        yield event;
      }
      if (await patience.with((until) => isOver(client, runId, { last, signal: until }))) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!attached || isRefusal(error) || error instanceof ServerAwayError) throw error;
      // A connection that breaks is no news as long as the next one comes about.
      if (failures > 0 && !isLost) onConnection?.('lost');
      isLost ||= failures > 0;
    }
    failures += 1;
    await pause(failures, patience.left(), signal);
  }
}

/** Bounds how long a server may stay away, over all calls since it answered last. */
class Patience {
  private awaySince: number | undefined;
  private unlink: () => void = () => undefined;

  constructor(
    private readonly runId: string,
    private readonly ms: number,
    private readonly stop: AbortSignal | null,
  ) {}

  /** What is left of it, in milliseconds. */
  left(): number {
    return this.ms - (this.awaySince === undefined ? 0 : performance.now() - this.awaySince);
  }

  /** Makes a call and gives its answer. Once nothing is left, it rejects with a {@link ServerAwayError}. */
  async with<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.awaySince ??= performance.now();
    const end = this.linked();
    const away = new ServerAwayError(this.runId, this.ms);
    const timer = setTimeout(() => end.abort(away), this.left());
    try {
      const answer = await call(end.signal);
      this.awaySince = undefined;
      return answer;
    } catch (error) {
      throw this.left() <= 0 && !isRefusal(error) ? away : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What ends a call, and the stream that it gives; `stop` does, too. AbortSignal.any would be held by nobody during a stream. */
  private linked(): AbortController {
    this.unlink();
    const end = new AbortController();
    const { stop } = this;
    const abort = (): void => end.abort(stop?.reason);
    stop?.addEventListener('abort', abort);
    this.unlink = () => stop?.removeEventListener('abort', abort);
    if (stop?.aborted) abort();
    return end;
  }
}

function attach(
  client: RunyardClient,
  runId: string,
  { last, deltas, signal }: Position & { deltas: boolean },
): Promise<AsyncIterable<Uint8Array>> {
  const header = { 'Last-Event-ID': String(last) };
  const call = client.api.GET('/api/v1/runs/{id}/attach', {
    params: { path: { id: runId }, header, ...(deltas && { query: { deltas } }) },
    parseAs: 'stream',
    signal,
  });
  return unwrap(call) as unknown as Promise<AsyncIterable<Uint8Array>>;
}

/** A stream also ends when a server goes away, so its end alone does not mean that the run is over. */
async function isOver(client: RunyardClient, runId: string, { last, signal }: Position): Promise<boolean> {
  const path = { id: runId };
  const run = await unwrap(client.api.GET('/api/v1/runs/{id}', { params: { path }, signal }));
  if (!['succeeded', 'failed', 'dead'].includes(run.lifecycle.status.kind)) return false;
  const query = { order: 'desc', limit: 1 } as const;
  const newest = await unwrap(client.api.GET('/api/v1/runs/{id}/events', { params: { path, query }, signal }));
  return newest.data.every(({ seq }) => seq <= last);
}

function isRefusal(error: unknown): boolean {
  return error instanceof RunyardApiError && error.status < 500 && error.status !== 429;
}

async function pause(failures: number, leftMs: number, signal: AbortSignal | null): Promise<void> {
  const longest = Math.min(LONGEST_DELAY_MS, Math.max(0, leftMs), FIRST_DELAY_MS * 2 ** (failures - 1));
  const delayMs = longest * (0.5 + Math.random() / 2);
  // It rejects when the signal aborts, at which the caller looks next.
  await sleep(delayMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}
