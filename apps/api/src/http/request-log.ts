import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from '../../../platform/src/index.js';
import { type Caller } from '../auth/caller.js';

/**
 * The lines about requests. Each carries the request id that the caller got, the method and the pattern of the path, and
 * once they are known the tenant and the kind of principal; never the address itself, a header or a body.
 */
export class RequestLog {
  private readonly bound = new WeakMap<FastifyRequest, Logger>();
  private readonly named = new WeakSet<FastifyRequest>();

  constructor(private readonly log: Logger) {}

  /** From now on the lines of the request say who sent it. */
  name(request: FastifyRequest, { tenantId, principal }: Caller): void {
    this.bound.set(request, this.of(request).child({ tenant: tenantId, principal: principal.kind }));
    this.named.add(request);
  }

  /** A failure of our own, with its causes. */
  failed(request: FastifyRequest, error: unknown): void {
    this.of(request).error({ error }, 'A request failed on our side.');
  }

  /** One line for each request when its connection is done with it, whoever ended it; a stream is long until then. */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = reply;
    raw.once('close', () => {
      const facts = { status: raw.statusCode, ms: Math.round(reply.elapsedTime) };
      const log = this.of(request);
      if (!raw.writableEnded) log.info(facts, 'A client left before its answer was complete.');
      // Probes and discovery come all the time and tell nothing.
      else if (raw.statusCode < 400 && !this.named.has(request)) log.debug(facts, 'A request was answered.');
      else log.info(facts, 'A request was answered.');
    });
  }

  private of(request: FastifyRequest): Logger {
    const known = this.bound.get(request);
    if (known) return known;
    const { id, method, routeOptions } = request;
    const log = this.log.child({ requestId: id, method, route: routeOptions.url ?? '(unknown)' });
    this.bound.set(request, log);
    return log;
  }
}
