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
  /** Called with what models say while they say it; nothing of it is asked for when absent. */
  onText?: (delta: TextDelta) => void;
}

/** How far a follower has come, and what ends its calls. */
interface Position {
  last: number;
  signal: AbortSignal | null;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

/**
 * A run's events, each once and in order, until the run is over. A connection that breaks is taken up again after the
 * last event that was yielded. Throws when the first attempt fails, and whenever the server refuses.
 */
export async function* followRun(
  client: RunyardClient,
  runId: string,
  { sinceSeq = 1, signal: stop, onText, onConnection }: FollowOptions = {},
): AsyncGenerator<EventEnvelope, void, undefined> {
  const signal = stop ?? null;
  let last = sinceSeq - 1;
  let failures = 0;
  let isLost = false;
  for (let attached = false; !signal?.aborted;) {
    try {
      const stream = await attach(client, runId, { last, deltas: onText !== undefined, signal });
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
      if (await isOver(client, runId, { last, signal })) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!attached || isRefusal(error)) throw error;
      // A connection that breaks is no news as long as the next one comes about.
      if (failures > 0 && !isLost) onConnection?.('lost');
      isLost ||= failures > 0;
    }
    failures += 1;
    await pause(failures, signal);
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

async function pause(failures: number, signal: AbortSignal | null): Promise<void> {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  const delayMs = longest * (0.5 + Math.random() / 2);
  // It rejects when the signal aborts, at which the caller looks next.
  await sleep(delayMs, undefined, signal ? { signal } : {}).catch(() => undefined);
}
