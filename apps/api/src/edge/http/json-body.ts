import { type FastifyInstance } from 'fastify';
import { InvalidRequestError } from '../errors/request-errors.js';

/**
 * Reads JSON bodies, and no others: whatever else is sent is an unsupported media type. An empty body counts as absent;
 * a body that could reach the prototype of an object is refused.
 */
export function readJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error').bind(fastify);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    void parse(request, body as string, (error, value) => (error ? done(unreadable(error)) : done(null, value)));
  });
}

function unreadable(error: Error): InvalidRequestError {
  return new InvalidRequestError([`The body is not valid JSON (${error.message}). Send one JSON object.`]);
}
