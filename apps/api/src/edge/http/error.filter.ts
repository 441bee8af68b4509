import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { KnownRoutes } from './known-routes.js';
import { RequestLog } from './request-log.js';
import { answerTo, envelope } from '../envelope/answer.js';
import { RETRY_AFTER_SECONDS } from '../errors/http-status.js';

/** Operations whose every body fault is 400: creating and updating a run. */
const BODY_FAULTS_ARE_INVALID = new Set(['POST /api/v1/runs', 'PATCH /api/v1/runs/:id']);

/** Answers every error with the envelope; failures of our own go to the log with their causes. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(KnownRoutes) private readonly routes: KnownRoutes,
    @Inject(RequestLog) private readonly log: RequestLog,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const route = request.routeOptions.url ?? '(unknown)';
    const path = request.url.split('?', 1)[0] ?? '/';
    const allowed = this.routes.methodsAt(path);
    const answer = answerTo(error, {
      method: request.method,
      path,
      allowed,
      bodyFaultsAreInvalid: BODY_FAULTS_ARE_INVALID.has(`${request.method} ${route}`),
    });

    if (answer.status >= 500) this.log.failed(request, error);
    if (reply.sent) return;
    if (answer.status === 405) void reply.header('Allow', allowed.join(', '));
    const wait = RETRY_AFTER_SECONDS[answer.status];
    if (wait !== undefined) void reply.header('Retry-After', String(wait));
    void reply.status(answer.status).type('application/json').send(envelope(answer, request.id));
  }
}
