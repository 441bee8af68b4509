import { type StoredEvent } from './run-log.js';

/** One event as it goes over the wire in the stream of its run: its seq is a place to come back to. */
export function frameOf({ seq, json }: StoredEvent): Buffer {
  return Buffer.from(`id: ${seq}\ndata: ${json}\n\n`);
}

/** What goes over the wire where nobody can come back to: an event among those of many runs, or a piece of text. */
export function frameWithoutId(json: string): Buffer {
  return Buffer.from(`data: ${json}\n\n`);
}

/** A comment for a client that has had more than the log holds now. */
export function endsEarlier(lastSeq: number, knownSeq: number): Buffer {
  return Buffer.from(`: the log ends at ${lastSeq}, before ${knownSeq}: the database lost what came after it\n\n`);
}

/** A comment: it keeps the connection open and leaves the reader's last event id alone. */
export const HEARTBEAT = Buffer.from(': still here\n\n');
