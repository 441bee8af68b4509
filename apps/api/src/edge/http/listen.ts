import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RunyardError } from '#libs/kernel';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
import { type Listener, Listeners } from './listeners.js';
import { refuseUnreadable } from './unreadable-request.js';

/** A Unix socket, or an address and port; port 0 takes any free one. */
export type ListenAddress = { socketPath: string } | { host: string; port: number };

/** A place that somebody has, or that this process may not take. */
class ListenError extends RunyardError {
  override readonly code = 'cannot_listen';
  readonly kind = 'unavailable';

  constructor(cause: Error) {
    super(`The server cannot listen: ${cause.message.replace(/^listen /, '')}.`, { cause });
  }
}

const GRACE_MS = 2_000;
/** Longer than load balancers and clients keep an idle connection, which is then never closed under a request. */
const KEEP_ALIVE_MS = 75_000;
/** How often requests are looked at that are not here yet. */
const LATE_CHECK_MS = 1_000;
const OWNER_ONLY = 0o600;

/**
 * Serves an app at one more place; call it once for each. Closing the app closes it too. A socket file that a dead
 * server left behind is replaced, one that still answers is an error. Only the owner may connect to a socket. A request
 * that is not whole in time is refused and its connection closed; connections beyond the limit are closed at once.
 */
export async function listen(
  app: NestFastifyApplication,
  binding: ListenAddress,
  { headMs, requestMs, maxConnections }: HttpLimits = DEFAULT_LIMITS,
): Promise<Listener> {
  const fastify = app.getHttpAdapter().getInstance();
  const times = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: headMs, requestTimeout: requestMs };
  const options = { ...times, connectionsCheckingInterval: Math.min(LATE_CHECK_MS, headMs) };
  const server = createServer(options, (request, response) => fastify.routing(request, response));
  server.maxConnections = maxConnections;
  server.on('clientError', refuseUnreadable);
  if ('socketPath' in binding) {
    await removeStale(binding.socketPath);
    await opened(server, () => server.listen(binding.socketPath));
    await chmod(binding.socketPath, OWNER_ONLY);
  } else {
    await opened(server, () => server.listen(binding.port, binding.host));
  }
  let closed: Promise<void> | undefined;
  const listener = { address: addressOf(server), close: () => (closed ??= shut(server)) };
  app.get(Listeners, { strict: false }).add(listener);
  return listener;
}

function opened(server: Server, open: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(new ListenError(error));
    server.once('error', fail);
    server.once('listening', () => {
      server.off('error', fail);
      resolve();
    });
    open();
  });
}

/**
 * Listening at a path where somebody answers, where a file lies, or which cannot be looked at, fails by itself with the
 * system's own words.
 */
async function removeStale(socketPath: string): Promise<void> {
  const entry = await lstat(socketPath).catch(() => undefined);
  if (entry?.isSocket() && !(await answers(socketPath))) await rm(socketPath, { force: true });
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return address ?? '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

async function shut(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(grace);
}
