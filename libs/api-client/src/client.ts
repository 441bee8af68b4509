import createClient, { type Client } from 'openapi-fetch';
import { Agent, fetch as undiciFetch, Request as UndiciRequest, type RequestInfo, type RequestInit } from 'undici';
import { type paths } from './generated/schema.js';

export interface RunyardClientOptions {
  /** `http(s)://…`, or the absolute path of a Unix socket. */
  server: string;
  token?: string;
}

export interface RunyardClient {
  /**
   * One typed call per operation of the OpenAPI document. Use {@link unwrap} to get the data or an error thrown. A call
   * with a `signal` rejects as soon as that aborts, and so does the stream it gave.
   */
  readonly api: Client<paths>;
  /** Drops all connections; calls under way reject. */
  close(): Promise<void>;
}

/** A stream that shows no sign of life for this long is taken for dead; the server shows one every 15 seconds. */
const SILENCE_MS = 45_000;
/** The host that is named when there is no address; no name is looked up. */
const SOCKET_BASE_URL = 'http://localhost';

export function createRunyardClient({ server, token }: RunyardClientOptions): RunyardClient {
  const socketPath = server.startsWith('/') ? server : undefined;
  const agent = new Agent({
    bodyTimeout: SILENCE_MS,
    ...(socketPath === undefined ? {} : { connect: { socketPath } }),
  });
  const api = createClient<paths>({
    baseUrl: socketPath === undefined ? server : SOCKET_BASE_URL,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    Request: CallRequest as unknown as typeof Request,
    fetch: (request) => send(request as unknown as CallRequest, agent),
  });
  return { api, close: () => agent.destroy() };
}

/**
 * A request that keeps the signal it is made with, for {@link send}. undici's own follows a signal through a weak
 * reference: once the request is collected, which a stream outlives, an abort would reach nobody.
 */
class CallRequest extends UndiciRequest {
  readonly abortedBy: AbortSignal | null;

  constructor(input: RequestInfo, { signal, ...init }: RequestInit = {}) {
    super(input, init);
    this.abortedBy = signal ?? null;
  }
}

/** undici's own fetch and Request, because those of Node cannot be given an agent of this undici. */
function send(request: CallRequest, dispatcher: Agent): Promise<Response> {
  return undiciFetch(request, { dispatcher, signal: request.abortedBy });
}
