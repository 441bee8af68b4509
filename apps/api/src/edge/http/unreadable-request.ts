import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import { envelope } from '../envelope/answer.js';

const STATUS_OF_FAULT: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Time for the answer to arrive. A client that does not hang up by then is not waited for. */
const LINGER_MS = 1_000;

/** Answers what is no HTTP, or too slow to be read, and hangs up. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const requestId = randomUUID();
  const status = STATUS_OF_FAULT[error.code ?? ''] ?? 400;
  const body = JSON.stringify(envelope({ status, details: ['The request cannot be read as HTTP.'] }, requestId));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `x-request-id: ${requestId}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
