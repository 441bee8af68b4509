import { randomUUID } from 'node:crypto';
import { type DynamicModule, type LoggerService, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { envelope } from './edge/envelope/answer.js';
import { responseHeaders } from './edge/http/headers.js';
import { readJson } from './edge/http/json-body.js';
import { KnownRoutes } from './edge/http/known-routes.js';
import { RequestLog } from './edge/http/request-log.js';
import { buildOpenApi } from './edge/openapi/build-openapi.js';
import { OpenApiText } from './edge/openapi/openapi-text.js';
import { RequestMeter } from './resources/system/process-reports.js';

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
const MAX_PARAM_LENGTH = 1_024;

/** Builds the server around a module that imports the `HttpModule`; nothing listens yet, see `listen`. */
export async function createHttpApp(
  module: Type | DynamicModule,
  { logger = false }: { logger?: LoggerService | false } = {},
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter(), {
    bodyParser: false,
    abortOnError: false,
    logger,
  });
  const fastify = app.getHttpAdapter().getInstance();
  const routes = app.get(KnownRoutes, { strict: false });
  fastify.addHook('onRoute', ({ method, url }) => routes.add(method, url));
  const log = app.get(RequestLog, { strict: false });
  fastify.addHook('onRequest', (request, reply, done) => {
    log.watch(request, reply);
    void reply.headers(responseHeaders(request.id, request.raw));
    done();
  });
  const meter = app.get(RequestMeter, { strict: false });
  fastify.addHook('onResponse', (request, reply, done) => {
    measure(meter, request, reply);
    done();
  });
  readJson(fastify);

  await app.init();
  app.get(OpenApiText, { strict: false }).text = JSON.stringify(buildOpenApi(app));
  await fastify.ready();
  return app;
}

/** A stream lasts as long as its client likes, so it says nothing about the server. */
function measure(meter: RequestMeter, { method, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
  const route = routeOptions.url ?? 'unknown';
  meter.add({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
}

function adapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    trustProxy: false,
    logger: false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: refuseAddress,
  });
}

/** The router refuses an address before any hook runs. */
function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const answer = { status: error.statusCode ?? 400, details: ['The address cannot be read. Correct its encoding.'] };
  void reply.headers(responseHeaders(request.id, request.raw)).status(answer.status);
  void reply.type('application/json').send(envelope(answer, request.id));
}
