import { type StoredEvent } from '../runs/run-use-cases.js';

/** One event as it goes over the wire, made once and written to every follower. */
export interface Frame {
  readonly seq: number;
  readonly text: string;
  readonly bytes: number;
}

export function frameOf({ seq, json }: StoredEvent): Frame {
  const text = `id: ${seq}\ndata: ${json}\n\n`;
  return { seq, text, bytes: Buffer.byteLength(text) };
}

/** A comment: it keeps the connection open and leaves the reader's last event id alone. */
export const HEARTBEAT = ': still here\n\n';
