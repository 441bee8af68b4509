import createClient, { type Client } from 'openapi-fetch';
import { Agent, fetch as undiciFetch, Request as UndiciRequest, type RequestInit } from 'undici';
import { type paths } from './generated/schema.js';

export interface RunyardClientOptions {
  /** `http(s)://…`, or the absolute path of a Unix socket. */
  server: string;
  token?: string;
}

export interface RunyardClient {
  /** One typed call per operation of the OpenAPI document. Use {@link unwrap} to get the data or an error thrown. */
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
    Request: UndiciRequest as unknown as typeof Request,
    fetch: (request) => send(request, agent),
  });
  return { api, close: () => agent.destroy() };
}

/** undici's own fetch and Request, because those of Node cannot be given an agent of this undici. */
function send(request: Request, dispatcher: Agent): Promise<Response> {
  const init: RequestInit = { dispatcher };
  return undiciFetch(request as unknown as UndiciRequest, init);
}
