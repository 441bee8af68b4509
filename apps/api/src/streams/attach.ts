import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Authenticator, tokenDigest } from '../edge/auth/authenticator.js';
import { sourceOf } from '../edge/auth/wrong-tokens.js';
import { RequestLog } from '../edge/http/request-log.js';
import { RunLog } from './run-log.js';
import { type Wire } from './outlet.js';
import { RunStreams, type StillAllowed, type StreamStart, type TenantStreamStart } from './run-streams.js';
import { openSse } from './sse-response.js';
import { StreamsPerToken } from './streams-per-token.js';

/** Answers a request with an event stream. */
@Injectable()
export class StreamAttachment {
  constructor(
    @Inject(RunLog) private readonly log: RunLog,
    @Inject(RunStreams) private readonly streams: RunStreams,
    @Inject(StreamsPerToken) private readonly perToken: StreamsPerToken,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(RequestLog) private readonly requests: RequestLog,
  ) {}

  /** Rejects before the response is begun (unknown run, too many streams, going away); afterwards a failure ends the stream. */
  async serve(start: Omit<StreamStart, 'bornAt'>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { bornAt } = await this.log.head(start.tenantId, start.runId);
    await this.stream(request, reply, (wire, allowed) => this.streams.follow({ ...start, bornAt }, wire, allowed));
  }

  /** As {@link serve}, for many runs. */
  async serveAll(start: TenantStreamStart, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.streams.whileHearing(start.tenantId, () =>
      this.stream(request, reply, (wire, allowed) => this.streams.followAll(start, wire, allowed)),
    );
  }

  private async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    follow: (wire: Wire, stillAllowed: StillAllowed) => Promise<void>,
  ): Promise<void> {
    this.streams.assertOpen();
    if (request.method === 'HEAD') return void reply.type('text/event-stream').send();

    const { authorization } = request.headers;
    const source = sourceOf(request.ip);
    const release = this.perToken.take(tokenDigest(authorization));
    try {
      await follow(openSse(reply), () => this.authenticator.callerOf(authorization, source));
    } catch (error) {
      this.requests.failed(request, error);
    } finally {
      release();
    }
  }
}
