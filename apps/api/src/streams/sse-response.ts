import { type OutgoingHttpHeaders } from 'node:http';
import { type FastifyReply } from 'fastify';
import { type Wire } from './outlet.js';

/** Opens the response as an event stream that nothing on the way may buffer, compress or keep. */
export function openSse(reply: FastifyReply): Wire {
  const { raw } = reply;
  void reply.type('text/event-stream; charset=utf-8');
  reply.hijack();
  raw.on('error', () => undefined);
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  // The head leaves together with what there is to send at once.
  raw.cork();
  raw.flushHeaders();
  setImmediate(() => raw.uncork());
  return {
    write: (bytes, done) => void raw.write(bytes, done),
    end: () => void raw.end(),
    cut: () => void raw.destroy(),
    onClose: (listener) => (raw.destroyed ? listener() : void raw.once('close', listener)),
  };
}
