import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from '#libs/server-runtime';

/** What the lines of a request say of the one who sent it. */
interface Sender {
  tenantId: string;
  principal: { kind: string };
}

/**
 * The lines about requests. Each carries the request id that the caller got, the method and the pattern of the path, and
 * once they are known the tenant and the kind of principal; never the address itself, a header or a body.
 */
export class RequestLog {
  private readonly callers = new WeakMap<FastifyRequest, Sender>();

  constructor(private readonly log: Logger) {}

  /** From now on the lines of the request say who sent it. */
  name(request: FastifyRequest, caller: Sender): void {
    this.callers.set(request, caller);
  }

  /** A failure of our own, with its causes. */
  failed(request: FastifyRequest, error: unknown): void {
    this.log.error({ ...this.about(request), error }, 'A request failed on our side.');
  }

  /** One line for each request when its connection is done with it, whoever ended it; a stream is long until then. */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = reply;
    raw.once('close', () => {
      const facts = { ...this.about(request), status: raw.statusCode, ms: Math.round(reply.elapsedTime) };
      if (!raw.writableEnded) this.log.info(facts, 'A client left before its answer was complete.');
      // Probes and discovery come all the time and tell nothing.
      else if (raw.statusCode < 400 && !this.callers.has(request)) this.log.debug(facts, 'A request was answered.');
      else this.log.info(facts, 'A request was answered.');
    });
  }

  private about(request: FastifyRequest): Record<string, string> {
    const { id, method, routeOptions } = request;
    const caller = this.callers.get(request);
    return {
      ...{ requestId: id, method, route: routeOptions.url ?? '(unknown)' },
      ...(caller && { tenant: caller.tenantId, principal: caller.principal.kind }),
    };
  }
}
