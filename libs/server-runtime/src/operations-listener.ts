import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '#libs/kernel';
import type { Logger } from './logger.js';
import { METRICS_TYPE, type Metrics } from './metrics/metrics.js';
import type { Readiness } from './readiness.js';

interface Observable {
  readonly readiness: Pick<Readiness, 'faults'>;
  readonly metrics: Metrics;
}

export interface OperationsListener {
  readonly address: string;
  close(): Promise<void>;
}

type Route = (observable: Observable, response: ServerResponse) => void | Promise<void>;

const ROUTES: Readonly<Record<string, Route>> = {
  '/health': (_, response) => sendJson(response, 200, { status: 'ok' }),
  '/ready': async ({ readiness }, response) => {
    const faults = await readiness.faults();
    if (faults.length === 0) sendJson(response, 200, { status: 'ready' });
    else sendJson(response, 503, { status: 'unready', faults });
  },
  '/metrics': async ({ metrics }, response) => {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text);
  },
};

/** Probes and scrapers are few. */
const MAX_CONNECTIONS = 100;

/**
 * A second place to listen, for those who operate the process: whether it lives, whether it is ready, how it does. It asks
 * for no token, because a scraper has none: who reaches the address may read, so it belongs on an inner network.
 */
export async function listenForOperators(
  { host, port }: { host: string; port: number },
  observable: Observable,
  log: Logger,
): Promise<OperationsListener> {
  const server = createServer({ requestTimeout: 10_000, connectionsCheckingInterval: 1_000 }, (request, response) => {
    const route = ROUTES[URL.parse(request.url ?? '', 'http://here')?.pathname ?? ''];
    if (!route) return sendJson(response, 404, { error: `There are ${Object.keys(ROUTES).join(', ')}.` });
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, { error: 'Use GET.' });
    Promise.resolve(route(observable, response)).catch((thrown: unknown) => {
      log.error({ error: messageOf(thrown), path: request.url }, 'A request of an operator failed.');
      sendJson(response, 500, { error: 'Something went wrong on our side; the log says what.' });
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = addressOf(server);
  log.info({ address }, 'Operators can look in.');
  return { address, close: () => shut(server) };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
