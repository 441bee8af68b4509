import { createParser } from 'eventsource-parser';
import { type EventEnvelope } from './event-envelope.js';

/** The events in the bytes of an event stream; comments are skipped, an unfinished last frame is dropped. */
export async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<EventEnvelope, void, undefined> {
  const arrived: EventEnvelope[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(JSON.parse(data) as EventEnvelope) });
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* arrived.splice(0);
  }
}
