import { connect } from 'node:net';

/** What became of a connection. */
export interface Connection {
  /** What came back so far. */
  readonly text: string;
  /** Milliseconds after its beginning at which the other side closed it; undefined while it is open. */
  readonly closedAfterMs: number | undefined;
  write(text: string): void;
  leave(): void;
}

/**
 * A connection on which whatever is written is sent, whether that is HTTP or not. One that does not hang up stays open on
 * this side when the other one has ended it.
 */
export function connection(url: string, { hangsUp = true }: { hangsUp?: boolean } = {}): Connection {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: !hangsUp });
  let text = '';
  let closedAfterMs: number | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => (closedAfterMs = performance.now() - began));
  return {
    get text() {
      return text;
    },
    get closedAfterMs() {
      return closedAfterMs;
    },
    write: (more) => void socket.write(more),
    leave: () => void socket.destroy(),
  };
}
