import { createParser } from 'eventsource-parser';
import { type EventEnvelope } from './event-envelope.js';
import { type TextDelta } from './text-delta.js';

/** The events in the bytes of an event stream, and what models say between them; comments are skipped, an unfinished last frame is dropped. */
export async function* eventsIn(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<EventEnvelope | TextDelta, void, undefined> {
  const arrived: (EventEnvelope | TextDelta)[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(JSON.parse(data) as EventEnvelope | TextDelta) });
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* arrived.splice(0);
  }
}
