import { type components } from './generated/schema.js';

type ErrorResponse = components['schemas']['ErrorResponse'];

/** The server answered with an error. The message holds every detail it gave. */
export class RunyardApiError extends Error {
  override readonly name = 'RunyardApiError';

  constructor(
    readonly status: number,
    readonly detail: string,
    /** Present where the server means a client to react. */
    readonly code?: string,
    /** Names the request in the server's log. */
    readonly requestId?: string,
  ) {
    super(detail);
  }
}

/** What openapi-fetch resolves with. */
interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of a call, or a {@link RunyardApiError} when the server refused it. A server out of reach rejects as is. */
export async function unwrap<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw apiError(response, error);
  return data as T;
}

function apiError(response: Response, body: unknown): RunyardApiError {
  const { errors = [] } = isEnvelope(body) ? body : {};
  const detail =
    errors.map((entry) => entry.detail).join('\n') || `The server answered with status ${response.status}.`;
  return new RunyardApiError(
    response.status,
    detail,
    errors.find((entry) => entry.code)?.code,
    response.headers.get('x-request-id') ?? undefined,
  );
}

function isEnvelope(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && Array.isArray((body as ErrorResponse).errors);
}
